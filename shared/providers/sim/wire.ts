/** What the simulated cloud answers, checked before anybody believes it. */
import { z } from 'zod';
import { capacityTypes, tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { Instance, InstanceTags } from '../contract.ts';

const texts = z.record(z.string(), z.string());

export const instanceSchema = z.object({
  id: z.string().min(1),
  providerID: z.string().min(1),
  name: z.string(),
  tags: texts,
  instanceType: z.string(),
  zone: z.string(),
  capacityType: z.enum(capacityTypes),
  state: z.enum(['creating', 'running', 'deleting', 'gone']),
  createdAt: z.number(),
  interruptAt: z.number().nullish(),
  image: z.string(),
  nodeName: z.string(),
  capacity: texts,
  allocatable: texts,
  labels: texts,
  /** How long the operation under way still takes; null when the cloud does not know. */
  remainingSeconds: z.number().nullable(),
});
export type WireInstance = z.infer<typeof instanceSchema>;

export const pageSchema = z.object({ items: z.array(instanceSchema), next: z.string().optional() });

/** Null is no limit. */
export const quotaSchema = z.object({ used: z.number(), limit: z.number().nullable() });

export const typesSchema = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      arch: z.string(),
      os: z.string(),
      region: z.string(),
      capacity: texts,
      allocatable: texts,
      offerings: z.array(
        z.object({
          zone: z.string(),
          capacityType: z.enum(capacityTypes),
          /** Null is not published, which is not the same as free. */
          price: z.number().nullable(),
          available: z.boolean(),
          availableAt: z.number().optional(),
        }),
      ),
    }),
  ),
});

export const problemSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    nothingDone: z.boolean().optional(),
    /** The instance that stands in the way. */
    instance: z.string().optional(),
  }),
});
export type Problem = z.infer<typeof problemSchema>['error'];

export const tagsOf = (owner: InstanceTags): Record<string, string> => ({
  [tagKeys.deployment]: owner.deployment,
  [tagKeys.cluster]: owner.cluster,
  [tagKeys.claimUid]: owner.claimUid,
  [tagKeys.attempt]: String(owner.attempt),
});

/** Undefined when the tags are not those of a Poolwright: somebody else's machine. */
export function ownerOf(tags: Record<string, string>): InstanceTags | undefined {
  const deployment = tags[tagKeys.deployment];
  const cluster = tags[tagKeys.cluster];
  const claimUid = tags[tagKeys.claimUid];
  const attempt = tags[tagKeys.attempt];
  if (deployment === undefined || cluster === undefined || claimUid === undefined) return undefined;
  if (attempt === undefined || !/^\d+$/.test(attempt)) return undefined;
  return { deployment, cluster, claimUid, attempt: Number(attempt) };
}

export const sameOwner = (one: InstanceTags, other: InstanceTags): boolean =>
  one.deployment === other.deployment &&
  one.cluster === other.cluster &&
  one.claimUid === other.claimUid &&
  one.attempt === other.attempt;

/** Undefined for what is gone or not ours. */
export function toInstance(wire: WireInstance): Instance | undefined {
  const owner = ownerOf(wire.tags);
  if (owner === undefined || wire.state === 'gone') return undefined;
  return {
    id: wire.id,
    providerID: wire.providerID,
    owner,
    claimName: wire.tags[tagKeys.claim] ?? '',
    name: wire.name,
    offering: { instanceType: wire.instanceType, zone: wire.zone, capacityType: wire.capacityType },
    state: wire.state,
    createdAt: wire.createdAt,
    ...(typeof wire.interruptAt === 'number' ? { interruptsAt: wire.interruptAt } : {}),
    imageID: wire.image,
    nodeName: wire.nodeName,
    capacity: wire.capacity,
    allocatable: wire.allocatable,
    labels: wire.labels,
  };
}
