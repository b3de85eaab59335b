/** What a kubelet keeps for itself: the field of node classes that says it, and what is left for pods. */
import { z } from 'zod';
import { extended } from '../nodes/api/parts.ts';
import { formatQuantity, parseQuantity } from '../nodes/claims/spec/quantities.ts';
import type { ResourceList } from '../nodes/claims/spec/types.ts';

const quantities = (description: string) => extended(z.record(z.string(), z.string()), { description });

export const kubeletField = z
  .strictObject({
    maxPods: extended(z.int().min(1).max(1024), {
      description: 'Maximum number of pods of a node. Default: 110.',
      format: 'int32',
    }).optional(),
    kubeReserved: quantities(
      'Resources that the kubelet keeps for itself. Default: cpu 100m, memory 256Mi.',
    ).optional(),
    systemReserved: quantities('Resources that the kubelet keeps for the system.').optional(),
    evictionHard: quantities(
      'Thresholds such as memory.available: 100Mi, below which the kubelet evicts pods.',
    ).optional(),
  })
  .describe('Settings of the kubelet that decide what is left for pods; userData has to give the same to the kubelet.');

export type KubeletField = z.infer<typeof kubeletField>;

export const usualPods = 110;
/** As Karpenter's provider for CloudStack has it. */
const usualReserved: Record<string, string> = { cpu: '100m', memory: '256Mi' };

/** @param has What the thresholds of evictions are shares of. */
export function leftForPods(
  capacity: ResourceList,
  { kubeReserved = usualReserved, systemReserved = {}, evictionHard = {} }: KubeletField,
  has: { memoryMiB: number; diskGiB: number },
): ResourceList {
  const kept: readonly ResourceList[] = [
    kubeReserved,
    systemReserved,
    {
      memory: threshold(evictionHard['memory.available'] ?? '100Mi', has.memoryMiB * 1024),
      'ephemeral-storage': threshold(evictionHard['nodefs.available'] ?? '10%', has.diskGiB * 1024 ** 2),
    },
  ];
  return kept.reduce(without, capacity);
}

/** An amount, or a share of all that there is; of that, in KiB. */
function threshold(text: string, kibibytes: number): string {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  return share === undefined ? text : `${Math.ceil((kibibytes * Number(share)) / 100)}Ki`;
}

function without(all: ResourceList, kept: ResourceList): ResourceList {
  const left: ResourceList = { ...all };
  for (const [name, amount] of Object.entries(kept)) {
    const [from, take] = [parseQuantity(all[name] ?? ''), parseQuantity(amount)];
    if (!from.ok || !take.ok) continue;
    const nanos = from.value.nanos - take.value.nanos;
    left[name] = formatQuantity({ format: from.value.format, nanos: nanos < 0n ? 0n : nanos });
  }
  return left;
}
