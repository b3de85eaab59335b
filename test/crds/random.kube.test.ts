/** Objects that nobody thought of: whatever upstream makes of them, ours does the same. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { useKube } from '../kube/use-kube.ts';
import { claimCorpus } from './claim-cases.ts';
import { judgeCreate, type Server } from './judge.ts';
import { poolCorpus } from './pool-cases.ts';
import { minimalTemplate } from './template-cases.ts';
import { upstreamDefinitions, upstreamGroup } from './upstream.ts';

const kube = useKube();
const ours: Server = { group: 'karpenter.sh', request: kube.request };
const upstream: Server = { group: upstreamGroup, request: kube.request };

beforeAll(async () => kube.apply(...(await upstreamDefinitions())));

/** Mostly sensible, so that an object is not refused for its first field already. */
const mostly = <T extends Json>(sensible: readonly T[], ...strange: readonly Json[]): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom<Json>(...sensible) },
    { weight: 1, arbitrary: fc.constantFrom(...strange) },
  );
const perhaps = { requiredKeys: [] as never[] };

const requirement = fc.record(
  {
    key: mostly(
      ['kubernetes.io/arch', 'a', 'karpenter.sh/capacity-type'],
      'karpenter.sh/x',
      'kubernetes.io/hostname',
      '',
      null,
      'A/B',
    ),
    operator: mostly(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'], 'Like', null, 4),
    values: fc.array(mostly(['1', '2', '42', 'amd64'], '', '-3', 'a b', null, 7), { maxLength: 3 }),
    minValues: mostly([1, 2, 3], 0, 51, null, '2'),
  },
  { requiredKeys: ['key', 'operator'] },
);
const taint = fc.record(
  {
    key: mostly(['team', 'example.com/gpu'], '', 'a b', null),
    value: mostly(['blue', 'a/b'], '', null, true),
    effect: mostly(['NoSchedule', 'NoExecute', 'PreferNoSchedule'], 'Never', null),
    timeAdded: mostly(['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00'], 'now', null),
  },
  { requiredKeys: ['key', 'effect'] },
);
const duration = mostly(['1h', '30s', '720h', '1h30m'], 'Never', '1d', '', null, 5);
const quantity = mostly(['1', '500m', '1Gi', 2], '1.5e3', 'x', '', 0.5, null);
const template = fc.record(
  {
    nodeClassRef: fc.record({
      group: mostly(['poolwright.dev', 'a.b'], '', 'a/b', null),
      kind: mostly(['SimNodeClass'], '', null),
      name: mostly(['default'], '', 3),
    }),
    requirements: fc.array(requirement, { maxLength: 3 }),
    taints: fc.array(taint, { maxLength: 2 }),
    startupTaints: fc.array(taint, { maxLength: 2 }),
    terminationGracePeriod: duration,
    expireAfter: duration,
    resources: fc.record({ requests: fc.dictionary(fc.constantFrom('cpu', 'memory', 'x/y'), quantity) }, perhaps),
    color: fc.constant('red'),
  },
  { requiredKeys: ['nodeClassRef', 'requirements'] },
);
const budget = fc.record(
  {
    nodes: mostly(['10%', '5'], '101%', 5, null),
    schedule: mostly(['@daily', '0 9 * * *'], 'daily', null),
    duration: mostly(['1h', '30m'], '5s', null),
    reasons: fc.array(mostly(['Empty', 'Drifted'], 'Bored', null), { maxLength: 2 }),
  },
  perhaps,
);
const pool = fc.record(
  {
    template: fc.record(
      {
        metadata: fc.record(
          { labels: fc.dictionary(fc.constantFrom('a', 'karpenter.sh/x', 'b/c'), mostly(['x', ''], 'x y', null)) },
          perhaps,
        ),
        spec: fc.oneof({ weight: 3, arbitrary: fc.constant(minimalTemplate) }, { weight: 1, arbitrary: template }),
      },
      { requiredKeys: ['spec'] },
    ),
    disruption: fc.record(
      {
        consolidateAfter: duration,
        consolidationPolicy: mostly(['WhenEmpty', 'Balanced'], 'Always', null),
        budgets: fc.array(budget, { maxLength: 2 }),
      },
      perhaps,
    ),
    limits: fc.dictionary(fc.constantFrom('cpu', 'nodes'), quantity),
    weight: mostly([1, 100], 0, 101, null),
    replicas: mostly([0, 3], -1, null, '3'),
  },
  { requiredKeys: ['template'] },
);

it.each([
  { corpus: claimCorpus, arbitrary: template as fc.Arbitrary<unknown> },
  { corpus: poolCorpus, arbitrary: pool as fc.Arbitrary<unknown> },
])('any $corpus.kind gets the same verdict and is stored the same', async ({ corpus, arbitrary }) => {
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, async (generated) => {
      const one = { title: '', accepted: true, spec: JSON.parse(JSON.stringify(generated)) as Json };
      const [here, there] = await Promise.all([judgeCreate(ours, corpus, one), judgeCreate(upstream, corpus, one)]);

      expect(here.accepted, `ours: ${here.says}; upstream's: ${there.says}`).toBe(there.accepted);
      expect(here.stored).toEqual(there.stored);
      if (there.accepted) accepted += 1;
      else refused += 1;
    }),
    // The same objects each time: a verdict must not depend on luck.
    { numRuns: 150, seed: 20_260_131 },
  );
  // Were all of them refused, nothing would have been compared.
  expect(accepted).toBeGreaterThan(5);
  expect(refused).toBeGreaterThan(5);
});
