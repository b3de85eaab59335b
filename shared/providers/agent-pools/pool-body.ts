/** A pool out of an answer of ARM. AKS and Arc differ in where tags and problems stand, so both places are read. */
import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import { describeProblems, problemsIn } from '../../platforms/azure/arm-error.ts';
import type { Pool } from './agent-pools.ts';

const texts = z.record(z.string(), z.string()).nullish();

const poolSchema = z.object({
  id: z.string(),
  name: z.string(),
  tags: texts,
  properties: z.object({
    provisioningState: z.string().nullish(),
    eTag: z.string().nullish(),
    vmSize: z.string().nullish(),
    count: z.number().nullish(),
    nodeLabels: texts,
    nodeTaints: z.array(z.string()).nullish(),
    tags: texts,
    availabilityZones: z.array(z.string()).nullish(),
    scaleSetPriority: z.string().nullish(),
    nodeImageVersion: z.string().nullish(),
    status: z.looseObject({ errorMessage: z.string().nullish(), provisioningError: z.json().nullish() }).nullish(),
  }),
});

const listSchema = z.object({ value: z.array(z.unknown()), nextLink: z.string().nullish() });

/** Undefined when it is no pool. */
export function readPool(body: unknown): Pool | undefined {
  const parsed = poolSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { id, name, tags, properties } = parsed.data;
  const { eTag, nodeImageVersion, status } = properties;
  const problem = status?.errorMessage || describeProblems(problemsIn(status?.provisioningError ?? undefined));
  return {
    id,
    name,
    ...(eTag ? { etag: eTag } : {}),
    // A state that is not there is a state that is not final.
    provisioningState: properties.provisioningState ?? 'Unknown',
    ...(problem ? { problem } : {}),
    vmSize: properties.vmSize ?? '',
    // Only a pool that says 0 is empty: one that says nothing must not pass for a machine that is gone.
    count: properties.count ?? 1,
    labels: properties.nodeLabels ?? {},
    taints: properties.nodeTaints ?? [],
    tags: { ...tags, ...properties.tags },
    zones: properties.availabilityZones ?? [],
    spot: properties.scaleSetPriority?.toLowerCase() === 'spot',
    ...(nodeImageVersion ? { nodeImageVersion } : {}),
  };
}

/** Undefined when it is no list. A single pool that can't be read is an error too: a list must not hide what costs money. */
export function readPoolList(body: Json | undefined): { items: Pool[]; next?: string } | undefined {
  const parsed = listSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const items = parsed.data.value.map(readPool);
  if (!items.every((item) => item !== undefined)) return undefined;
  return { items, ...(parsed.data.nextLink ? { next: parsed.data.nextLink } : {}) };
}
