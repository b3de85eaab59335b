/** The nodes of a new cluster: those of the system, and those for workloads. */
import { z } from 'zod';
import {
  durationOrNever,
  durationPattern,
  extended,
  keyPattern,
  labelValuePattern,
  quantities,
  text,
} from '../../kube/crds/schema-parts.ts';
import { consolidationPolicies, imageFamilies, taintEffects } from './choices.ts';

const count = (least: number, most: number, description: string) =>
  extended(z.int().min(least).max(most), { description, format: 'int32' });

const zones = extended(z.array(z.string().min(1).max(2)).max(3), {
  description: 'Availability zones, such as "1". Default: Azure chooses.',
  'x-kubernetes-list-type': 'set',
});

const osDisk = count(30, 2048, 'Size of the OS disk in GiB. Default: 128.');

export const systemPoolSchema = z
  .strictObject({
    vmSize: text('VM size of the system nodes. Default: Standard_D4s_v5.').optional(),
    count: count(1, 1000, 'Number of system nodes. Default: 2; AKS advises 3.').optional(),
    zones: zones.optional(),
    osDiskSizeGB: osDisk.optional(),
    criticalAddonsOnly: z
      .boolean()
      .describe('Whether a taint keeps the pods of users off the system nodes. Default: false.')
      .optional(),
  })
  .describe('The system node pool, which every AKS cluster needs.');

const taint = z.strictObject({
  key: extended(z.string().min(1).max(316), { description: 'Key of the taint.', pattern: keyPattern }),
  value: extended(z.string().min(1).max(63), {
    description: 'Value of the taint.',
    pattern: labelValuePattern,
  }).optional(),
  effect: z.enum(taintEffects).describe('What happens to pods that do not tolerate the taint.'),
});

export const nodePoolSchema = z
  .strictObject({
    type: text(
      'Pool type: standard, memory-optimized, compute-optimized, or one that your platform team has added. Default: standard.',
      {},
    ).optional(),
    vmSizes: extended(z.array(z.string().min(1).max(80)).min(1).max(50), {
      description:
        'Exactly these VM sizes, the preferred one first. Default: with nap, all sizes of the family of the type; otherwise the sizes of the type.',
      'x-kubernetes-list-type': 'atomic',
    }).optional(),
    family: text('Family of VM sizes, such as D. Default: that of the type.').optional(),
    limits: quantities('Limits for the sum over the nodes: cpu, memory, nodes. Default: those of the type.').optional(),
    labels: extended(z.record(z.string(), extended(z.string().max(63), { pattern: labelValuePattern })), {
      description: 'Labels of the nodes.',
      maxProperties: 50,
    }).optional(),
    taints: extended(z.array(taint).max(20), {
      description: 'Taints of the nodes. Default: those of the type; an empty list is none.',
      'x-kubernetes-list-type': 'atomic',
    }).optional(),
    replicas: count(0, 1000, 'Number of nodes with poolwright, which makes static pools. Default: 1.').optional(),
    minCount: count(0, 1000, 'Fewest nodes with agentPools. Default: 1.').optional(),
    maxCount: count(1, 1000, 'Most nodes with agentPools. Default: 3.').optional(),
    zones: zones.optional(),
    osDiskSizeGB: osDisk.optional(),
    imageFamily: z.enum(imageFamilies).describe('OS of the nodes. Default: Ubuntu.').optional(),
    expireAfter: durationOrNever('How long a node lives. Default: 2160h.').optional(),
    consolidationPolicy: z
      .enum(consolidationPolicies)
      .describe('Which nodes may be consolidated. Default: WhenEmpty.')
      .optional(),
    consolidateAfter: durationOrNever('How long a node must be unchanged before that. Default: 30s.').optional(),
  })
  .describe('The nodes for workloads.');

/** Also of the life of a whole cluster. */
export const lifetime = (description: string) => text(description, { pattern: durationPattern });
