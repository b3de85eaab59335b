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
  taints: taints('Taints that the node has for good.').optional(),
  startupTaints: taints(
    'Taints that the node has at first and that something else removes; the node is not initialized before.',
  ).optional(),
  terminationGracePeriod: duration(
    'How long draining may take before the rest is ended by force. Without it draining waits as long as it must.',
  ).optional(),
  expireAfter: durationOrNever('How long the node may live before it is replaced, or Never.').default('720h'),
});

const spec = extended(
  z.object({
    ...nodeTemplateFields(),
    resources: z
      .object({ requests: quantities('Least amounts of each resource, pods and daemons included.').optional() })
      .describe('What the node must have room for.')
      .optional(),
  }),
  {
    description: 'What the node must be like. It cannot be changed once the claim is there.',
    'x-kubernetes-validations': [
      { rule: 'self == oldSelf', message: 'spec is immutable: delete the claim and make a new one instead' },
    ],
  },
);

const status = z
  .object({
    nodeName: text('Name of the node.').optional(),
    providerID: text('Id of the instance at its cloud, as the node carries it too.').optional(),
    imageID: text('Image that the node runs.').optional(),
    capacity: quantities('All resources of the node.').optional(),
    allocatable: quantities('Resources that pods may use.').optional(),
    conditions: conditions('lenient').optional(),
    lastPodEventTime: time('When a pod last came to the node or left it.').optional(),
  })
  .describe('What has become of the wish.');

export const nodeClaimDefinition: KindDefinition = {
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  categories: ['karpenter'],
  description: 'A wish for one node.',
  spec,
  specRequired: true,
  status,
  columns: [
    readyColumn('Whether the node is there and can be used.'),
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
      description: 'Id of the instance at its cloud.',
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
      description: 'Whether the node no longer is what is wanted.',
      wide: true,
    },
  ],
};
