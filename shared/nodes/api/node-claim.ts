/** NodeClaim of `karpenter.sh/v1`: one wish for one node. Fields and defaults are upstream's; the words are ours. */
import { z } from 'zod';
import { ageColumn, type KindDefinition, labelPath, readyColumn, reasonColumn } from '../../kube/crds/definition.ts';
import { labels } from '../claims/spec/well-known.ts';
import {
  conditions,
  duration,
  durationOrNever,
  extended,
  nodeClassRef,
  quantities,
  type Rule,
  requirements,
  taints,
  text,
  time,
} from './parts.ts';

/** What claims and the template of a pool have in common. A pool adds rules of its own. */
export const nodeTemplateFields = (rules: { key?: readonly Rule[]; nodeClassRef?: readonly Rule[] } = {}) => ({
  nodeClassRef: nodeClassRef(rules.nodeClassRef),
  requirements: requirements(rules.key),
  taints: taints('Taints that the node keeps.').optional(),
  startupTaints: taints(
    'Taints that the node starts with and that another controller removes. The node is not initialized until then.',
  ).optional(),
  terminationGracePeriod: duration(
    'How long draining may take before the remaining pods are deleted by force. Without it, draining has no time limit.',
  ).optional(),
  expireAfter: durationOrNever('How long the node may live before it is replaced, or Never.').default('720h'),
});

const spec = extended(
  z.object({
    ...nodeTemplateFields(),
    resources: z
      .object({ requests: quantities('Minimum amount of each resource, including pods and daemons.').optional() })
      .describe('Resources that the node must provide.')
      .optional(),
  }),
  {
    description: 'Requirements for the node. Immutable after the claim is created.',
    'x-kubernetes-validations': [
      { rule: 'self == oldSelf', message: 'spec is immutable: delete the claim and create a new one' },
    ],
  },
);

const status = z
  .object({
    nodeName: text('Name of the node.').optional(),
    providerID: text('ID of the instance in the cloud, as in the providerID of the node.').optional(),
    imageID: text('Image that the node runs.').optional(),
    capacity: quantities('Total resources of the node.').optional(),
    allocatable: quantities('Resources that pods can use.').optional(),
    conditions: conditions('lenient').optional(),
    lastPodEventTime: time('When a pod was last scheduled to the node or removed from it.').optional(),
  })
  .describe('Current state of the claim.');

export const nodeClaimDefinition: KindDefinition = {
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  categories: ['karpenter'],
  description: 'A request for one node.',
  spec,
  specRequired: true,
  status,
  columns: [
    readyColumn('Whether the node exists and is ready.'),
    { name: 'Type', type: 'string', jsonPath: labelPath(labels.instanceType), description: 'Instance type.' },
    { name: 'Zone', type: 'string', jsonPath: labelPath(labels.zone), description: 'Zone of the instance.' },
    {
      name: 'Capacity',
      type: 'string',
      jsonPath: labelPath(labels.capacityType),
      description: 'spot, on-demand or reserved.',
    },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName', description: 'Name of the node.' },
    ageColumn,
    reasonColumn,
    {
      name: 'ID',
      type: 'string',
      jsonPath: '.status.providerID',
      description: 'ID of the instance in the cloud.',
      wide: true,
    },
    {
      name: 'NodePool',
      type: 'string',
      jsonPath: labelPath(labels.nodePool),
      description: 'NodePool that the claim belongs to.',
      wide: true,
    },
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.nodeClassRef.name',
      description: 'Name of the node class.',
      wide: true,
    },
    {
      name: 'ImageID',
      type: 'string',
      jsonPath: '.status.imageID',
      description: 'Image that the node runs.',
      wide: true,
    },
    {
      name: 'Drifted',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Drifted")].status',
      description: 'Whether the node no longer matches its NodePool or node class.',
      wide: true,
    },
  ],
};
