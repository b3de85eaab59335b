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
      description: 'Labels of the nodes.',
      maxProperties: 100,
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [
        { rule: `self.all(key, ${restrictedDomain('key')})`, message: restrictedDomainMessage },
        { rule: `!("${labels.nodePool}" in self)`, message: poolMessage },
        { rule: `!("${labels.hostname}" in self)`, message: hostnameMessage },
      ],
    }).optional(),
    annotations: extended(z.record(z.string(), z.string()), {
      description: 'Annotations of the nodes.',
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
              message: 'nodeClassRef.group is immutable: create a new NodePool instead',
            },
            {
              rule: 'self.kind == oldSelf.kind',
              message: 'nodeClassRef.kind is immutable: create a new NodePool instead',
            },
          ],
        }),
      )
      .describe('Requirements of the claims of this pool.'),
  })
  .describe('Template for each claim of the pool.');

const disruptionReasons = ['Underutilized', 'Empty', 'Drifted'] as const;

const budget = z.object({
  nodes: text('Number of nodes, absolute or as a percentage of the pool.', {
    pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
  }).default('10%'),
  schedule: text(
    'When the budget becomes active, as a cron expression in UTC. Without it, the budget is always active.',
    {
      pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
    },
  ).optional(),
  duration: text('How long the budget stays active after each start.', {
    pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
  }).optional(),
  reasons: extended(z.array(z.enum(disruptionReasons)).max(50), {
    description: 'Disruption reasons that the budget applies to. Default: all.',
    'x-kubernetes-list-type': 'set',
  }).optional(),
});

const disruption = extended(
  z.object({
    consolidateAfter: durationOrNever('How long a node must be unchanged before it may be consolidated, or Never.'),
    consolidationPolicy: z
      .enum(['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'])
      .describe('Which nodes may be consolidated.')
      .default('WhenEmptyOrUnderutilized'),
    budgets: extended(z.array(budget).max(50), {
      description: 'How many nodes may be disrupted at a time. The strictest active budget applies.',
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
    description: 'When nodes may be replaced or removed voluntarily.',
    default: { consolidateAfter: '0s' },
  },
).optional();

const spec = extended(
  z.object({
    template,
    disruption,
    limits: quantities('Limits for the sum over all nodes of the pool: resources, and the number of nodes.').optional(),
    weight: extended(z.int().min(1).max(100), {
      description: 'Pools with a higher weight are tried first.',
      format: 'int32',
    }).optional(),
    replicas: extended(z.int().min(0), {
      description: 'A fixed number of nodes, independent of pods. `kubectl scale` changes it.',
      format: 'int64',
    }).optional(),
  }),
  {
    description: 'Requirements for the nodes, and limits for their number.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.replicas) == has(oldSelf.replicas)',
        message: 'replicas cannot be added to or removed from an existing NodePool: create a new NodePool instead',
      },
      {
        rule: '!has(self.replicas) || !has(self.limits) || self.limits.all(name, name == "nodes")',
        message: 'a NodePool with replicas supports no limit other than nodes',
      },
      {
        rule: '!has(self.replicas) || !has(self.weight)',
        message: 'a NodePool with replicas does not support weight: its nodes do not depend on pods',
      },
    ],
  },
);

const status = z
  .object({
    resources: quantities('Sum over all nodes of the pool.').optional(),
    nodes: extended(z.int(), { description: 'Number of nodes in the pool.', format: 'int64' }).default(0),
    nodeClassObservedGeneration: extended(z.int(), {
      description: 'Generation of the node class that the most recent claims use.',
      format: 'int64',
    }).optional(),
    conditions: conditions().optional(),
  })
  .describe('Current state of the pool.');

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
    readyColumn('Whether the pool is ready.'),
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.template.spec.nodeClassRef.name',
      description: 'Name of the node class.',
    },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', description: 'Desired number of nodes.' },
    { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes', description: 'Number of nodes in the pool.' },
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
