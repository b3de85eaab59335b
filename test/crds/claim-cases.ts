/** NodeClaims that upstream accepts and refuses. */
import type { Json } from '../../shared/base/json.ts';
import { accepted, type Corpus, conditionCases, type Fields, refused } from './cases.ts';
import { minimalTemplate, templateCases } from './template-cases.ts';

const requests = (list: Json): Json => ({ ...minimalTemplate, resources: { requests: list } });
const at = '2026-01-31T12:00:00Z';

/** One of each notation that Kubernetes reads. */
export const quantities = ['0', '1', '100m', '1.5Gi', '.5', '5.', '1e3', '1E3', '1E', '+2', '-1', '12Ki', '3n', '1e-3'];
export const noQuantities = ['', 'lots', '1 Gi', '1gi', '1KiB', '0x10', '--1', '1,5', 'Gi'];

export const claimCorpus: Corpus = {
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  minimal: minimalTemplate,
  create: [
    ...templateCases((template) => template),
    accepted('the pool as a requirement', {
      ...minimalTemplate,
      requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['default'] }],
    }),
    accepted('no resources', { ...minimalTemplate, resources: {} }),
    accepted('resources as whole numbers', requests({ cpu: 2, memory: 1024 })),
    ...quantities.map((text) => accepted(`a request of ${text}`, requests({ cpu: text }))),
    ...noQuantities.map((text) =>
      refused(`a request of ${JSON.stringify(text)}`, requests({ cpu: text }), 'should match'),
    ),
    refused('a request of half a number', requests({ cpu: 0.5 }), 'must be of type integer,string'),
    refused('a request that is true', requests({ cpu: true }), 'must be of type integer,string'),
    refused('requests as a list', requests([]), 'must be of type object'),
    refused('a spec that is a text', 'small', 'must be of type object'),
  ],
  change: [
    { title: 'no change', accepted: true, before: minimalTemplate, patch: { spec: minimalTemplate } },
    {
      title: 'new labels',
      accepted: true,
      before: minimalTemplate,
      patch: { metadata: { labels: { 'karpenter.sh/nodepool': 'a' } } },
    },
    ...(
      [
        ['another lifetime', { expireAfter: '1h' }],
        ['another node class', { nodeClassRef: { name: 'other' } }],
        ['another requirement', { requirements: [{ key: 'a', operator: 'Exists' }] }],
        ['a taint more', { taints: [{ key: 'a', effect: 'NoExecute' }] }],
        ['a request more', { resources: { requests: { cpu: '1' } } }],
        ['a grace period', { terminationGracePeriod: '1h' }],
      ] as [string, Fields][]
    ).map(([title, spec]) => ({
      title,
      accepted: false,
      says: 'spec is immutable',
      before: minimalTemplate,
      patch: { spec },
    })),
  ],
  status: [
    {
      title: 'everything that a launched claim has',
      accepted: true,
      status: {
        nodeName: 'node-1',
        providerID: 'sim:///zone-a/i-1',
        imageID: 'image-1',
        capacity: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': '1' },
        allocatable: { cpu: '3920m', memory: '15Gi' },
        lastPodEventTime: at,
        conditions: [],
      },
    },
    { title: 'a field that nobody knows, which is dropped', accepted: true, status: { color: 'red' } },
    {
      title: 'a condition without reason and message',
      accepted: true,
      status: { conditions: [{ type: 'Launched', status: 'Unknown', lastTransitionTime: at }] },
    },
    {
      title: 'a condition with an empty reason',
      accepted: true,
      status: { conditions: [{ type: 'Launched', status: 'True', reason: '', message: '', lastTransitionTime: at }] },
    },
    {
      title: 'a capacity that is no quantity',
      accepted: false,
      says: 'should match',
      status: { capacity: { cpu: 'x' } },
    },
    {
      title: 'a pod event at a time that is none',
      accepted: false,
      says: 'date-time',
      status: { lastPodEventTime: 'yesterday' },
    },
    {
      title: 'a providerID that is a number',
      accepted: false,
      says: 'must be of type string',
      status: { providerID: 4 },
    },
    ...conditionCases,
  ],
};
