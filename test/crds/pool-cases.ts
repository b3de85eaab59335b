/** NodePools that upstream accepts and refuses. */
import type { Json } from '../../shared/base/json.ts';
import { accepted, type Corpus, conditionCases, type Fields, refused } from './cases.ts';
import { noQuantities, quantities } from './claim-cases.ts';
import { minimalTemplate, templateCases } from './template-cases.ts';

const minimal: Fields = { template: { spec: minimalTemplate } };
const with_ = (fields: Fields): Json => ({ ...minimal, ...fields });
const metadata = (fields: Fields): Json => ({ template: { metadata: fields, spec: minimalTemplate } });
const labels = (map: Fields): Json => metadata({ labels: map });
const disruption = (fields: Fields): Json => with_({ disruption: { consolidateAfter: '30s', ...fields } });
const budget = (fields: Fields): Json => disruption({ budgets: [fields] });
const numbered = (count: number): Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/label-${index}`, 'x']));
const at = '2026-01-31T12:00:00Z';

export const poolCorpus: Corpus = {
  kind: 'NodePool',
  plural: 'nodepools',
  minimal,
  create: [
    ...templateCases((template) => ({ template: { spec: template } })),
    refused('no template', {}, 'Required value'),
    refused('a template without a spec', { template: {} }, 'Required value'),
    refused(
      'the pool as a requirement',
      {
        template: {
          spec: { ...minimalTemplate, requirements: [{ key: 'karpenter.sh/nodepool', operator: 'Exists' }] },
        },
      },
      'set by the NodePool itself',
    ),
    accepted('resources, which a template has none of and which are dropped', {
      template: { spec: { ...minimalTemplate, resources: { requests: { cpu: '1' } } } },
    }),

    accepted(
      'labels and annotations',
      metadata({ labels: { team: 'a', b: '' }, annotations: { 'a/b': 'any text\n' } }),
    ),
    accepted('the capacity type as a label', labels({ 'karpenter.sh/capacity-type': 'spot' })),
    accepted('100 labels', labels(numbered(100))),
    refused('101 labels', labels(numbered(101)), 'must have at most 100'),
    refused('a label value that is too long', labels({ a: 'x'.repeat(64) }), 'may not be more than 63'),
    refused('a label value with a space', labels({ a: 'x y' }), 'should match'),
    refused('a label value that is a number', labels({ a: 1 }), 'must be of type string'),
    refused('a label of karpenter.sh', labels({ 'karpenter.sh/a': 'b' }), 'domain karpenter.sh'),
    refused('the pool as a label', labels({ 'karpenter.sh/nodepool': 'b' }), 'set by the NodePool itself'),
    refused('the host name as a label', labels({ 'kubernetes.io/hostname': 'b' }), 'differs from node to node'),

    accepted('no word about disruption', minimal),
    accepted('consolidation never', with_({ disruption: { consolidateAfter: 'Never' } })),
    refused('disruption without consolidateAfter', with_({ disruption: {} }), 'Required value'),
    refused('consolidation after a day', with_({ disruption: { consolidateAfter: '1d' } }), 'should match'),
    ...['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'].map((policy) =>
      accepted(`the policy ${policy}`, disruption({ consolidationPolicy: policy })),
    ),
    refused('an unknown policy', disruption({ consolidationPolicy: 'Always' }), 'supported values'),

    accepted('no budget', disruption({ budgets: [] })),
    accepted('a budget without nodes', budget({})),
    ...['0', '5', '1000', '0%', '9%', '100%'].map((nodes) => accepted(`a budget of ${nodes}`, budget({ nodes }))),
    ...['101%', '-1', '5.5', '%', '', 'all'].map((nodes) =>
      refused(`a budget of ${JSON.stringify(nodes)}`, budget({ nodes }), 'should match'),
    ),
    refused('a budget that is a number', budget({ nodes: 5 }), 'must be of type string'),
    ...['@daily', '@hourly', '0 9 * * 1-5', '*/5 * * * *', 'a b c d e', '@dailyish'].map((schedule) =>
      accepted(`the schedule ${schedule}`, budget({ nodes: '1', schedule, duration: '1h' })),
    ),
    ...['', '0 9 * *', 'daily', '@reboot'].map((schedule) =>
      refused(
        `the schedule ${JSON.stringify(schedule)}`,
        budget({ nodes: '1', schedule, duration: '1h' }),
        'should match',
      ),
    ),
    ...['1h', '30m', '1h30m', '1h0s', '1h30m0s'].map((duration) =>
      accepted(`a budget for ${duration}`, budget({ nodes: '1', schedule: '@daily', duration })),
    ),
    ...['30s', '1h30s', '1d', '', 'Never'].map((duration) =>
      refused(
        `a budget for ${JSON.stringify(duration)}`,
        budget({ nodes: '1', schedule: '@daily', duration }),
        'should match',
      ),
    ),
    refused('a schedule without a duration', budget({ nodes: '1', schedule: '@daily' }), 'both schedule and duration'),
    refused('a duration without a schedule', budget({ nodes: '1', duration: '1h' }), 'both schedule and duration'),
    accepted('reasons', budget({ nodes: '1', reasons: ['Underutilized', 'Empty', 'Drifted'] })),
    accepted('no reasons', budget({ nodes: '1', reasons: [] })),
    refused('an unknown reason', budget({ nodes: '1', reasons: ['Expired'] }), 'supported values'),
    refused('one reason twice', budget({ nodes: '1', reasons: ['Empty', 'Empty'] }), 'Duplicate value'),
    accepted('50 budgets', disruption({ budgets: Array.from({ length: 50 }, () => ({ nodes: '1' })) })),
    refused(
      '51 budgets',
      disruption({ budgets: Array.from({ length: 51 }, () => ({ nodes: '1' })) }),
      'must have at most 50 items',
    ),

    ...quantities.map((text) => accepted(`a limit of ${text}`, with_({ limits: { cpu: text } }))),
    ...noQuantities.map((text) =>
      refused(`a limit of ${JSON.stringify(text)}`, with_({ limits: { cpu: text } }), 'should match'),
    ),
    accepted('no limits', with_({ limits: {} })),
    accepted('a limit of nodes', with_({ limits: { nodes: 10, 'nvidia.com/gpu': '8' } })),
    ...[1, 50, 100].map((weight) => accepted(`a weight of ${weight}`, with_({ weight }))),
    refused('a weight of 0', with_({ weight: 0 }), 'greater than or equal to 1'),
    refused('a weight of 101', with_({ weight: 101 }), 'less than or equal to 100'),
    refused('a weight that is a text', with_({ weight: '5' }), 'must be of type integer'),

    ...[0, 1, 5000].map((replicas) => accepted(`${replicas} replicas`, with_({ replicas }))),
    refused('less than no replicas', with_({ replicas: -1 }), 'greater than or equal to 0'),
    refused('half a replica', with_({ replicas: 0.5 }), 'must be of type integer'),
    accepted('replicas with a limit of nodes', with_({ replicas: 2, limits: { nodes: '5' } })),
    accepted('replicas with no limits', with_({ replicas: 2, limits: {} })),
    refused('replicas with a limit of CPUs', with_({ replicas: 2, limits: { cpu: '5' } }), 'no limit other than nodes'),
    refused(
      'replicas with a limit of nodes and CPUs',
      with_({ replicas: 2, limits: { nodes: '5', cpu: '5' } }),
      'no limit other than nodes',
    ),
    refused('replicas with a weight', with_({ replicas: 2, weight: 5 }), 'does not support weight'),
  ],
  change: [
    { title: 'more replicas', accepted: true, before: { ...minimal, replicas: 1 }, patch: { spec: { replicas: 3 } } },
    {
      title: 'replicas on a pool that has none',
      accepted: false,
      says: 'replicas cannot be added to or removed from an existing NodePool',
      before: minimal,
      patch: { spec: { replicas: 3 } },
    },
    {
      title: 'no replicas on a pool that has some',
      accepted: false,
      says: 'replicas cannot be added to or removed from an existing NodePool',
      before: { ...minimal, replicas: 1 },
      patch: { spec: { replicas: null } },
    },
    {
      title: 'another node class',
      accepted: true,
      before: minimal,
      patch: { spec: { template: { spec: { nodeClassRef: { name: 'other' } } } } },
    },
    {
      title: 'a node class of another kind',
      accepted: false,
      says: 'nodeClassRef.kind is immutable',
      before: minimal,
      patch: { spec: { template: { spec: { nodeClassRef: { kind: 'AKSNodeClass' } } } } },
    },
    {
      title: 'a node class of another group',
      accepted: false,
      says: 'nodeClassRef.group is immutable',
      before: minimal,
      patch: { spec: { template: { spec: { nodeClassRef: { group: 'karpenter.azure.com' } } } } },
    },
    {
      title: 'another template',
      accepted: true,
      before: minimal,
      patch: { spec: { template: { spec: { expireAfter: 'Never', taints: [{ key: 'a', effect: 'NoExecute' }] } } } },
    },
  ],
  status: [
    {
      title: 'everything that a pool has',
      accepted: true,
      status: { nodes: 3, resources: { cpu: '12', memory: '48Gi', nodes: 3 }, nodeClassObservedGeneration: 2 },
    },
    { title: 'nothing, so that there are no nodes', accepted: true, status: {} },
    { title: 'nodes that are a text', accepted: false, says: 'must be of type integer', status: { nodes: '3' } },
    {
      title: 'a condition without a reason',
      accepted: false,
      says: 'Required value',
      status: { conditions: [{ type: 'Ready', status: 'True', message: '', lastTransitionTime: at }] },
    },
    {
      title: 'a condition with an empty reason',
      accepted: false,
      says: 'at least 1 char',
      status: { conditions: [{ type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: at }] },
    },
    ...conditionCases,
  ],
};
