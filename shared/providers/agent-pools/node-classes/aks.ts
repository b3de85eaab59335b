/**
 * AKSNodeClass, with the fields of Karpenter's provider for Azure that an agent pool has too. The group is Karpenter's: where
 * its definition is installed, that one is used.
 */

import { z } from 'zod';
import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import type { Checked } from '../../../base/problems.ts';
import { extended } from '../../../nodes/api/parts.ts';
import { parseQuantity, toBytes } from '../../../nodes/claims/spec/quantities.ts';
import { parseSpec } from '../../node-class-spec.ts';
import { largestDiskGB, smallestDiskGB } from '../pools/disk.ts';
import { tagProblems } from '../pools/tags.ts';
import type { PoolClass } from '../pools/wish.ts';
import { unsupportedFields } from './aks-unsupported.ts';
import { maxPodsField, tagsField } from './parts.ts';

export const imageFamilies = ['Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'] as const;

const subnetPattern =
  '^/subscriptions/[^/]+/resourceGroups/[a-zA-Z0-9_().-]{1,90}/providers/Microsoft[.]Network/virtualNetworks/[^/]+/subnets/[^/]+$';
const subnetId = new RegExp(subnetPattern, 'i');

/** As Karpenter's definition has it: the same class must get the same disk under both. */
const usualDiskGB = 128;

const percent = (description: string) => z.int().min(0).max(100).describe(description).optional();

const kubeletSchema = z.strictObject({
  cpuManagerPolicy: z.enum(['none', 'static']).describe('How CPUs are assigned to containers.').optional(),
  cpuCFSQuota: z.boolean().describe('Whether CPU limits are enforced.').optional(),
  cpuCFSQuotaPeriod: z.string().max(32).describe('Period in which a CPU limit is counted, such as 100ms.').optional(),
  imageGCHighThresholdPercent: percent('Disk usage above which unused images are always deleted.'),
  imageGCLowThresholdPercent: percent('Disk usage below which images are never deleted.'),
  topologyManagerPolicy: z
    .enum(['restricted', 'best-effort', 'none', 'single-numa-node'])
    .describe('How resources are aligned to NUMA nodes.')
    .optional(),
  allowedUnsafeSysctls: extended(z.array(z.string()), {
    description: 'Unsafe sysctls, or patterns that end in *, that pods may set.',
    'x-kubernetes-list-type': 'atomic',
  }).optional(),
  containerLogMaxSize: extended(
    z.string().superRefine((text, context) => {
      const parsed = parseQuantity(text);
      if (!parsed.ok || megabytesOf(text) < 1) {
        context.addIssue({ code: 'custom', message: 'it must be a size of at least 1M, such as 50Mi' });
      }
    }),
    { description: 'Size at which the log of a container is rotated, such as 50Mi.' },
  ).optional(),
  containerLogMaxFiles: z.int().min(2).describe('Maximum number of log files of a container.').optional(),
  podPidsLimit: z.int().min(-1).describe('Maximum number of processes in a pod; -1 means no limit.').optional(),
  failSwapOn: z.boolean().describe('Whether the kubelet refuses to start if swap is on.').optional(),
});

export const aksNodeClassSchema = z
  .strictObject({
    imageFamily: z.enum(imageFamilies).describe('Linux distribution of the nodes. Default: Ubuntu.').optional(),
    osDiskSizeGB: extended(z.int().min(smallestDiskGB).max(largestDiskGB), {
      description: 'Size of the OS disk; the storage request of a claim overrides it.',
      default: usualDiskGB,
    }).optional(),
    maxPods: maxPodsField.optional(),
    vnetSubnetID: extended(
      z.string().superRefine((text, context) => {
        const shape = '/subscriptions/…/resourceGroups/…/providers/Microsoft.Network/virtualNetworks/…/subnets/…';
        if (!subnetId.test(text))
          context.addIssue({ code: 'custom', message: `it must be the id of a subnet, ${shape}` });
      }),
      {
        description: 'Id of the subnet of the nodes. Default: the subnet of the cluster.',
        pattern: `(?i)${subnetPattern}`,
      },
    ).optional(),
    tags: tagsField.optional(),
    fipsMode: z
      .enum(['FIPS', 'Disabled'])
      .describe('Whether the nodes run the image that complies with FIPS 140.')
      .optional(),
    gpu: z
      .strictObject({
        mode: z
          .string()
          .max(32)
          .describe(
            'None does not install the GPU driver, for clusters that provide their own; any other value installs it.',
          )
          .optional(),
      })
      .describe('GPUs of the nodes; it has no effect on sizes without GPUs.')
      .optional(),
    kubelet: kubeletSchema.describe('How the kubelet runs.').optional(),
    ...unsupportedFields,
  })
  .describe('How nodes of this class are created.');

export type AksNodeClassSpec = z.infer<typeof aksNodeClassSchema>;

export const aksFields = Object.keys(aksNodeClassSchema.shape);

export function parseAksNodeClass(spec: Json): Checked<PoolClass> {
  const read = readAksSpec(spec);
  return read.ok ? { ok: true, value: toPoolClass(read.value) } : read;
}

/** The spec itself, with everything wrong in it told at once. */
export function readAksSpec(spec: Json): Checked<AksNodeClassSpec> {
  const parsed = parseSpec(aksNodeClassSchema, spec, aksFields);
  if (!parsed.ok) return parsed;
  const problems = tagProblems(parsed.value.tags ?? {}, 'spec.tags');
  return problems.length === 0 ? parsed : { ok: false, problems };
}

const toPoolClass = ({
  imageFamily,
  osDiskSizeGB,
  maxPods,
  vnetSubnetID,
  tags,
  fipsMode,
  gpu,
  kubelet,
}: AksNodeClassSpec): PoolClass => ({
  tags: tags ?? {},
  ...defined({ osSku: imageFamily, osDiskSizeGB, maxPods, subnetId: vnetSubnetID }),
  ...(fipsMode === 'FIPS' ? { fips: true } : {}),
  ...(gpu?.mode === 'None' ? { gpuDriver: 'None' } : {}),
  ...(kubelet === undefined ? {} : { kubelet: kubeletConfig(kubelet) }),
});

/** Karpenter names the fields like the kubelet does; the API of AKS has its own spelling. */
function kubeletConfig(kubelet: z.infer<typeof kubeletSchema>): Record<string, unknown> {
  const { containerLogMaxSize } = kubelet;
  const config = {
    cpuManagerPolicy: kubelet.cpuManagerPolicy,
    cpuCfsQuota: kubelet.cpuCFSQuota,
    cpuCfsQuotaPeriod: kubelet.cpuCFSQuotaPeriod,
    imageGcHighThreshold: kubelet.imageGCHighThresholdPercent,
    imageGcLowThreshold: kubelet.imageGCLowThresholdPercent,
    topologyManagerPolicy: kubelet.topologyManagerPolicy,
    allowedUnsafeSysctls: kubelet.allowedUnsafeSysctls,
    containerLogMaxSizeMB: containerLogMaxSize === undefined ? undefined : megabytesOf(containerLogMaxSize),
    containerLogMaxFiles: kubelet.containerLogMaxFiles,
    podMaxPids: kubelet.podPidsLimit,
    failSwapOn: kubelet.failSwapOn,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function megabytesOf(text: string): number {
  const parsed = parseQuantity(text);
  return parsed.ok ? Number(toBytes(parsed.value) / (1n << 20n)) : 0;
}
