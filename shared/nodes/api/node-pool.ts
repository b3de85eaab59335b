/** NodePool of `karpenter.sh/v1`: a template and limits for many nodes. Fields and defaults are upstream's. */
import { z } from 'zod';
import { ageColumn, type KindDefinition, readyColumn, reasonColumn } from '../../kube/crds/definition.ts';
import { labels } from '../claims/spec/well-known.ts';
import { nodeTemplateFields } from './node-claim.ts';
import {
  conditions,
  durationOrNever,
  extended,
  hostnameMessage,
  labelValuePattern,
  poolMessage,
  quantities,
  restrictedDomain,
  restrictedDomainMessage,
  text,
} from './parts.ts';

const templateMetadata = z
  .object({
    labels: extended(z.record(z.string(), extended(z.string().max(63), { pattern: labelValuePattern })), {
      description: 'Labels that the nodes get.',
      maxProperties: 100,
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [
        { rule: `self.all(key, ${restrictedDomain('key')})`, message: restrictedDomainMessage },
        { rule: `!("${labels.nodePool}" in self)`, message: poolMessage },
        { rule: `!("${labels.hostname}" in self)`, message: hostnameMessage },
      ],
    }).optional(),
    annotations: extended(z.record(z.string(), z.string()), {
      description: 'Annotations that the nodes get.',
      'x-kubernetes-map-type': 'granular',
    }).optional(),
  })
  .describe('Labels and annotations of the nodes.');

const template = z
  .object({
    metadata: templateMetadata.optional(),
    spec: z
      .object(
        nodeTemplateFields({
          key: [{ rule: `self != "${labels.nodePool}"`, message: poolMessage }],
          // The name may change: that is how a pool moves to another node class, and its nodes drift.
          nodeClassRef: [
            {
              rule: 'self.group == oldSelf.group',
              message: 'nodeClassRef.group is immutable: make a new NodePool instead',
            },
            {
              rule: 'self.kind == oldSelf.kind',
              message: 'nodeClassRef.kind is immutable: make a new NodePool instead',
            },
          ],
        }),
      )
      .describe('What the claims of this pool ask for.'),
  })
  .describe('What each claim of the pool is made from.');

const disruptionReasons = ['Underutilized', 'Empty', 'Drifted'] as const;

const budget = z.object({
  nodes: text('How many nodes, as a number or as a percentage of the pool.', {
    pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
  }).default('10%'),
  schedule: text(
    'When the budget begins to be active, as a cron expression in UTC. Without it the budget is always active.',
    {
      pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
    },
  ).optional(),
  duration: text('How long the budget is active after each beginning.', {
    pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
  }).optional(),
  reasons: extended(z.array(z.enum(disruptionReasons)).max(50), {
    description: 'Which disruptions the budget is about; all when there is none.',
    'x-kubernetes-list-type': 'set',
  }).optional(),
});

const disruption = extended(
  z.object({
    consolidateAfter: durationOrNever('How long a node must be quiet before it may be consolidated, or Never.'),
    consolidationPolicy: z
      .enum(['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'])
      .describe('Which nodes may be consolidated.')
      .default('WhenEmptyOrUnderutilized'),
    budgets: extended(z.array(budget).max(50), {
      description: 'How many nodes may be disrupted at a time. The strictest budget that is active counts.',
      default: [{ nodes: '10%' }],
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': [
        {
          rule: 'self.all(b, has(b.schedule) == has(b.duration))',
          message: 'a budget needs both schedule and duration, or neither',
        },
      ],
    }).optional(),
  }),
  {
    description: 'When nodes may be replaced or removed for the sake of order.',
    default: { consolidateAfter: '0s' },
  },
).optional();

const spec = extended(
  z.object({
    template,
    disruption,
    limits: quantities('Upper bounds for the sum over all nodes of the pool; besides resources also nodes.').optional(),
    weight: extended(z.int().min(1).max(100), {
      description: 'Pools with a higher weight are tried first.',
      format: 'int32',
    }).optional(),
    replicas: extended(z.int().min(0), {
      description: 'A fixed number of nodes, whatever pods there are. `kubectl scale` changes it.',
      format: 'int64',
    }).optional(),
  }),
  {
    description: 'What the nodes are like and how many there may be.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.replicas) == has(oldSelf.replicas)',
        message: 'a pool with replicas stays one, and a pool without them never gets any: make a new NodePool instead',
      },
      {
        rule: '!has(self.replicas) || !has(self.limits) || self.limits.all(name, name == "nodes")',
        message: 'a pool with replicas takes no other limit than nodes',
      },
      {
        rule: '!has(self.replicas) || !has(self.weight)',
        message: 'a pool with replicas takes no weight: its nodes are wanted whatever pods there are',
      },
    ],
  },
);

const status = z
  .object({
    resources: quantities('Sum over all nodes of the pool.').optional(),
    nodes: extended(z.int(), { description: 'How many nodes the pool has.', format: 'int64' }).default(0),
    nodeClassObservedGeneration: extended(z.int(), {
      description: 'Generation of the node class that the last claims were made with.',
      format: 'int64',
    }).optional(),
    conditions: conditions().optional(),
  })
  .describe('What the pool has.');

export const nodePoolDefinition: KindDefinition = {
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  categories: ['karpenter'],
  description: 'A template and limits for many nodes.',
  spec,
  specRequired: true,
  status,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
  columns: [
    readyColumn('Whether the pool can be used.'),
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.template.spec.nodeClassRef.name',
      description: 'Name of the node class.',
    },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', description: 'How many nodes are wanted.' },
    { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes', description: 'How many nodes the pool has.' },
    ageColumn,
    reasonColumn,
    {
      name: 'Weight',
      type: 'integer',
      jsonPath: '.spec.weight',
      description: 'Pools with a higher weight are tried first.',
      wide: true,
    },
    { name: 'CPU', type: 'string', jsonPath: '.status.resources.cpu', description: 'CPUs of all nodes.', wide: true },
    {
      name: 'Memory',
      type: 'string',
      jsonPath: '.status.resources.memory',
      description: 'Memory of all nodes.',
      wide: true,
    },
  ],
};
