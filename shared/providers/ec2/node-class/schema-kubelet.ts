/** How the kubelet runs, as far as a class may say so; the names are the kubelet's own. */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';

const amount =
  '(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?';
const amountPattern = `^${amount}$`;
const thresholdPattern = `^((\\d{1,2}(\\.\\d{1,2})?|100(\\.0{1,2})?)%|${amount})$`;

export const evictionSignals = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const;
const reservable = ['cpu', 'memory', 'ephemeral-storage', 'pid'] as const;

const keysAmong = (keys: readonly string[]) => ({
  rule: `self.all(k, k in ${JSON.stringify(keys)})`,
  message: `known keys: ${keys.join(', ')}`,
});

const thresholds = (description: string) =>
  extended(
    z.partialRecord(
      z.enum(evictionSignals),
      extended(
        z.string().regex(new RegExp(thresholdPattern), 'it must be a quantity such as 100Mi, or a share such as 5%'),
        {
          pattern: thresholdPattern,
        },
      ),
    ),
    { description, maxProperties: evictionSignals.length, 'x-kubernetes-validations': [keysAmong(evictionSignals)] },
  );

const reserved = (description: string) =>
  extended(
    z.partialRecord(
      z.enum(reservable),
      extended(z.string().regex(new RegExp(amountPattern), 'it must be a quantity such as 100m or 1Gi'), {
        pattern: amountPattern,
      }),
    ),
    {
      description,
      maxProperties: reservable.length,
      'x-kubernetes-validations': [
        keysAmong(reservable),
        { rule: "self.all(k, !self[k].startsWith('-'))", message: 'it must not be negative' },
      ],
    },
  );

const percent = (description: string) => extended(z.int().min(0).max(100), { description, format: 'int32' }).optional();
const count = (description: string) => extended(z.int().min(0), { description, format: 'int32' }).optional();

export const kubeletField = extended(
  z.strictObject({
    clusterDNS: extended(z.array(z.string()).max(10), {
      description: 'Addresses of the cluster DNS.',
    }).optional(),
    maxPods: count('Maximum number of pods on a node. Default: the number of available addresses.'),
    podsPerCore: count('Maximum number of pods per core; never more than maxPods.'),
    systemReserved: reserved('Resources reserved for the system.').optional(),
    kubeReserved: reserved('Resources reserved for the kubelet and the container runtime.').optional(),
    evictionHard: thresholds('Thresholds at which pods are evicted immediately.').optional(),
    evictionSoft: thresholds('Thresholds at which pods are evicted after a grace period.').optional(),
    evictionSoftGracePeriod: extended(z.partialRecord(z.enum(evictionSignals), z.string()), {
      description: 'The grace period of each threshold in evictionSoft.',
      maxProperties: evictionSignals.length,
      'x-kubernetes-validations': [keysAmong(evictionSignals)],
    }).optional(),
    evictionMaxPodGracePeriod: extended(z.int(), {
      description: 'Longest termination grace period, in seconds, of pods that a soft threshold evicts.',
      format: 'int32',
    }).optional(),
    imageGCHighThresholdPercent: percent('Disk usage above which unused images are always deleted.'),
    imageGCLowThresholdPercent: percent('Disk usage below which images are never deleted.'),
    cpuCFSQuota: z.boolean().describe('Whether CPU limits are enforced.').optional(),
  }),
  {
    description: 'How the kubelet runs.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.imageGCHighThresholdPercent) || !has(self.imageGCLowThresholdPercent) || self.imageGCHighThresholdPercent > self.imageGCLowThresholdPercent',
        message: 'imageGCHighThresholdPercent must be above imageGCLowThresholdPercent',
      },
      {
        rule: '!has(self.evictionSoft) || (has(self.evictionSoftGracePeriod) && self.evictionSoft.all(k, k in self.evictionSoftGracePeriod))',
        message: 'each threshold of evictionSoft needs its evictionSoftGracePeriod',
      },
      {
        rule: '!has(self.evictionSoftGracePeriod) || (has(self.evictionSoft) && self.evictionSoftGracePeriod.all(k, k in self.evictionSoft))',
        message: 'each evictionSoftGracePeriod needs its threshold in evictionSoft',
      },
    ],
  },
);

export type KubeletSettings = z.infer<typeof kubeletField>;
