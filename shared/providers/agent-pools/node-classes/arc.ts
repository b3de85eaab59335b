/** ArcNodeClass, and what of an AKSNodeClass a cluster on Azure Arc can do: claims that move from AKS keep their class. */

import { z } from 'zod';
import { defined } from '../../../base/defined.ts';
import { isObject, type Json } from '../../../base/json.ts';
import type { Checked, Problem } from '../../../base/problems.ts';
import { parseSpec } from '../../node-class-spec.ts';
import { tagProblems } from '../pools/tags.ts';
import type { PoolClass } from '../pools/wish.ts';
import { aksFields, readAksSpec } from './aks.ts';
import { deadlinesField, maxPodsField, tagsField } from './parts.ts';

export const arcNodeClassSchema = z
  .strictObject({
    osSku: z.enum(['AzureLinux']).describe('Linux distribution of the nodes. There is only one.').optional(),
    maxPods: maxPodsField.optional(),
    tags: tagsField.optional(),
    deadlines: deadlinesField.optional(),
  })
  .describe('How nodes of this class are created.');

const arcFields = Object.keys(arcNodeClassSchema.shape);

export function parseArcNodeClass(spec: Json): Checked<PoolClass> {
  if (isOfAks(spec)) return fromAks(spec);
  const parsed = parseSpec(arcNodeClassSchema, spec, arcFields);
  if (!parsed.ok) return parsed;
  const { osSku, maxPods, tags = {} } = parsed.value;
  const problems = tagProblems(tags, 'spec.tags');
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: { tags, ...defined({ osSku, maxPods }) },
  };
}

/** Both classes have tags and maxPods; any other field says which one it is. */
const isOfAks = (spec: Json): boolean =>
  isObject(spec) && Object.keys(spec).some((key) => aksFields.includes(key) && !arcFields.includes(key));

/** The image and the disk are Arc's own business, and a class for both clusters names them; the rest would be missed. */
function fromAks(spec: Json): Checked<PoolClass> {
  const read = readAksSpec(spec);
  if (!read.ok) return read;
  const { maxPods, tags = {}, osDiskSizeGB } = read.value;
  const missing = (
    [
      ['vnetSubnetID', read.value.vnetSubnetID !== undefined],
      ['fipsMode', read.value.fipsMode === 'FIPS'],
      ['gpu.mode', read.value.gpu?.mode === 'None'],
      ['kubelet', read.value.kubelet !== undefined],
    ] as const
  ).filter(([, asked]) => asked);
  const problems: Problem[] = missing.map(([field]) => ({
    path: `spec.${field}`,
    message: 'agent pools on Azure Arc have no such setting; remove it, or use an ArcNodeClass',
  }));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: {
      tags,
      ...defined({ maxPods }),
      // Nothing is made of it, but it stands in for a storage request, as it does on AKS.
      ...defined({ osDiskSizeGB }),
    },
  };
}
