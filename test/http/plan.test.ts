/** What would become of a claim or a pool: chosen as a launch would, and nothing is written anywhere. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { describeProblems } from '../../shared/base/problems.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { takeTurn, turnsCounted } from '../../shared/nodes/pauses/turns.ts';
import type { PlanAnswer } from '../../shared/nodes/plan/answer.ts';
import type { Quota } from '../../shared/providers/contract.ts';
import { aFleet } from '../nodes/a-fleet.ts';
import { countRequests } from '../nodes/counting-api.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import type { TestWorld, TestWorldOptions } from '../nodes/world.ts';
import { askMarket } from './a-market.ts';

const open = useWorld();
const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
const twoTypes = only(['general-small', 'general-medium']);

type Fields = { [field: string]: Json };

const aClaim = (spec: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'one', ...metadata },
  spec: { nodeClassRef, requirements: twoTypes, resources: { requests: { cpu: '1' } }, ...spec },
});

const aPool = (spec: Fields = {}, template: Fields = {}): Fields => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'web' },
  spec: { template: { spec: { nodeClassRef, requirements: twoTypes, expireAfter: 'Never', ...template } }, ...spec },
});

async function openMarket(options?: TestWorldOptions) {
  const world = await open(options);
  const ask = await askMarket(world);
  const plan = async (object: Fields, more: Fields = {}): Promise<PlanAnswer> => {
    const { status, json } = await ask('POST', '/v1/plan', { cluster: 'test', object, ...more });
    expect(json).not.toHaveProperty('detail');
    expect(status).toBe(200);
    return json as never;
  };
  return { world, ask, plan };
}

/** Every key and value of the state. */
async function stateOf({ services }: TestWorld): Promise<Json> {
  return JSON.parse(JSON.stringify((await services.state.list('', { limit: 500 })).items));
}

describe('a claim', () => {
  it('is told what it would get, what that costs, what comes next, and why nothing else', async () => {
    const { plan } = await openMarket();
    const { rejections, ...rest } = await plan(aClaim());
    expect(rest).toEqual({
      outcome: 'launch',
      why: 'The best is general-small in zone-a, on-demand, $0.048 per hour, of 2 offerings of 2 out of 24 instance types',
      kind: 'NodeClaim',
      name: 'one',
      provider: 'sim',
      nodeClass: 'SimNodeClass/default',
      count: 1,
      chosen: { instanceType: 'general-small', zone: 'zone-a', capacityType: 'on-demand', pricePerHour: 0.048 },
      runnerUp: { instanceType: 'general-medium', zone: 'zone-a', capacityType: 'on-demand', pricePerHour: 0.096 },
      candidates: [
        { instanceType: 'general-small', zone: 'zone-a', capacityType: 'on-demand', pricePerHour: 0.048 },
        { instanceType: 'general-medium', zone: 'zone-a', capacityType: 'on-demand', pricePerHour: 0.096 },
      ],
      candidateCount: 2,
      pricePerHour: 0.048,
      pricePerMonth: 35.04,
    });
    expect(rejections).toHaveLength(22);
    expect(rejections[0]).toMatchObject({ kind: 'requirement', requirement: 'node.kubernetes.io/instance-type' });
  });

  it('gets what was planned', async () => {
    const { world, plan } = await openMarket();
    const { chosen } = await plan(aClaim({ requirements: [], resources: { requests: { cpu: '3' } } }));
    await world.createClaim('one', { requirements: [], resources: { requests: { cpu: '3' } } });
    await world.settle();
    const labels = (await world.claim('one'))?.metadata.labels ?? {};
    expect(chosen).toMatchObject({
      instanceType: labels['node.kubernetes.io/instance-type'],
      zone: labels['topology.kubernetes.io/zone'],
      capacityType: labels['karpenter.sh/capacity-type'],
    });
  });

  it('leaves no trace: not in the cluster, not at the cloud, not in the state', async () => {
    const { world, plan } = await openMarket({ cluster: { maxInstances: 10 } });
    await turnsCounted(world.services, world.clusterServices);
    const [before, requests] = [await stateOf(world), countRequests(world.clusterServices)];
    await plan(aClaim());
    await plan(aClaim({ requirements: only(['nothing']) }));
    await plan(aPool({ replicas: 3 }));
    expect(requests.filter(({ verb }) => verb !== 'get' && verb !== 'list')).toEqual([]);
    expect(world.cloud.ledger()).toEqual([]);
    expect(await stateOf(world)).toEqual(before);
    expect(await world.claims()).toEqual([]);
    expect(await world.eventsOf('one')).toEqual([]);
  });

  it('whose price nobody knows has none', async () => {
    const { plan } = await openMarket();
    const planned = await plan(aClaim({ requirements: only(['preview-large']) }));
    expect(planned).toMatchObject({ outcome: 'launch', chosen: { instanceType: 'preview-large' } });
    expect(planned.chosen).not.toHaveProperty('pricePerHour');
    expect(planned).not.toHaveProperty('pricePerHour');
    expect(planned).not.toHaveProperty('pricePerMonth');
  });

  it('of a cloud that takes one of many is told how many', async () => {
    const { plan } = await openMarket({ decorate: aFleet().decorate });
    expect(await plan(aClaim())).toMatchObject({ outcome: 'launch', alternatives: 1 });
  });

  it('that is there already is planned as another one', async () => {
    const { world, plan } = await openMarket();
    await world.createClaim('one');
    expect((await plan(aClaim())).hints).toEqual([
      'NodeClaim one already exists in the cluster; this is a plan for another one like it',
    ]);
  });
});

describe('what a claim would wait for', () => {
  it('is said, and the choice all the same', async () => {
    const { world, plan } = await openMarket();
    await pause(world.services, { kind: 'provider', name: 'sim' }, 'until Friday');
    expect(await plan(aClaim())).toMatchObject({
      outcome: 'wait',
      code: 'Paused',
      why: 'provider sim is paused: until Friday',
      chosen: { instanceType: 'general-small' },
    });
  });

  it('may be a node class that is not there, unless it comes with the question', async () => {
    const { plan } = await openMarket();
    const claim = aClaim({ nodeClassRef: { ...nodeClassRef, name: 'new' } });
    expect(await plan(claim)).toMatchObject({
      outcome: 'wait',
      code: 'NodeClassNotFound',
      why: 'SimNodeClass new does not exist in cluster test',
    });
    const { kind, group } = nodeClassRef;
    const brought = { apiVersion: `${group}/v1alpha1`, kind, metadata: { name: 'new' }, spec: {} };
    expect(await plan(claim, { nodeClasses: [brought] })).toMatchObject({ outcome: 'launch' });
  });

  it('may be room under the cap', async () => {
    const { world, plan } = await openMarket({ cluster: { maxInstances: 2 } });
    expect(await plan(aClaim())).toMatchObject({ outcome: 'wait', code: 'WaitingForTurn' });
    await turnsCounted(world.services, world.clusterServices);
    await takeTurn(world.services, world.clusterServices, 'another');
    expect(await plan(aClaim())).toMatchObject({ outcome: 'launch', cap: { used: 1, limit: 2, after: 2 } });
    expect((await plan(aPool({ replicas: 3 }))).hints).toContain('only 1 of 3 fit under maxInstances of cluster test');
    await takeTurn(world.services, world.clusterServices, 'a third');
    expect(await plan(aClaim())).toMatchObject({
      outcome: 'wait',
      code: 'WaitingForTurn',
      why: 'cluster test has reached maxInstances (2)',
    });
  });

  it('may be capacity, with the time when it may be back', async () => {
    const { world, plan } = await openMarket();
    for (const instanceType of ['general-small', 'general-medium']) {
      const offering = { instanceType, zone: 'zone-a', capacityType: 'on-demand' as const };
      await markUnavailable(world.services, 'sim', offering, { kind: 'insufficient-capacity', message: 'out' }, 300);
    }
    expect(await plan(aClaim())).toMatchObject({
      outcome: 'wait',
      code: 'InsufficientCapacity',
      retryAt: new Date(world.clock.now() + 300_000).toISOString(),
      nearestChange: expect.stringContaining('zone'),
    });
  });

  it('may be whoever acts on the cluster', async () => {
    const readOnly = { acts: false, reason: 'NotOwner', why: 'deployment blue acts on cluster test' } as const;
    const { plan } = await openMarket({
      ownership: { standing: async () => readOnly, renew: async () => readOnly },
    });
    expect(await plan(aClaim())).toMatchObject({ outcome: 'wait', code: 'NotOwner', why: readOnly.why });
  });

  it('may be quota: it is told before the cloud says so', async () => {
    const quota: Quota[] = [
      { name: 'Standard vCPUs', used: 7, limit: 8, unit: 'vCPU', instanceTypes: ['general-small'] },
      { name: 'GPU vCPUs', used: 0, limit: 8, unit: 'vCPU', instanceTypes: ['gpu-small'] },
      { name: 'Instances', used: 3, limit: 5, unit: 'instances' },
      { name: 'Premium disks', used: 1, limit: 2, unit: 'disks' },
    ];
    const { plan } = await openMarket({
      decorate: (inner) => Object.assign(inner, { quota: async () => ({ ok: true, value: quota }) }),
    });
    const planned = await plan(aClaim());
    expect(planned.quota).toEqual([
      { name: 'Standard vCPUs', used: 7, limit: 8, unit: 'vCPU', after: 9 },
      { name: 'Instances', used: 3, limit: 5, unit: 'instances', after: 4 },
      { name: 'Premium disks', used: 1, limit: 2, unit: 'disks' },
    ]);
    expect(planned.hints).toEqual([
      'Standard vCPUs has 7 of 8 vCPU in use, and 9 would exceed the quota: the cloud may refuse',
    ]);
  });
});

describe('what can never be', () => {
  it('is impossible where nothing fits, with the nearest change', async () => {
    const { plan } = await openMarket();
    const planned = await plan(aClaim({ resources: { requests: { cpu: '3000' } } }));
    expect(planned).toMatchObject({
      outcome: 'impossible',
      code: 'NoInstanceTypeFits',
      candidates: [],
      nearestChange: expect.stringContaining('cpu'),
    });
  });

  it('is a node class of somebody else', async () => {
    const { plan } = await openMarket();
    const foreign = { group: 'karpenter.example', kind: 'OtherNodeClass', name: 'default' };
    expect(await plan(aClaim({ nodeClassRef: foreign }))).toMatchObject({
      outcome: 'not-ours',
      why: expect.stringMatching(
        /^no provider of cluster test serves OtherNodeClass \(karpenter.example\); they serve/,
      ),
    });
  });

  it.each<[string, Fields, string]>([
    ['a capacity type', { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on_demand'] }, 'on-demand'],
    ['a label', { key: 'karpenter.sh/capacitytype', operator: 'In', values: ['spot'] }, 'karpenter.sh/capacity-type'],
    ['an operator', { key: 'kubernetes.io/arch', operator: 'in', values: ['amd64'] }, 'In'],
  ])('is %s that is misspelled, and the right one is proposed', async (_, requirement, meant) => {
    const { plan } = await openMarket();
    const planned = await plan(aClaim({ requirements: [requirement] }));
    expect(planned).toMatchObject({ outcome: 'invalid', code: 'InvalidClaim' });
    expect(planned.problems?.[0]?.path).toMatch(/^spec\.requirements\[0\]/);
    expect(planned.problems?.[0]?.message).toContain(`did you mean "${meant}"?`);
  });

  it('is a misspelled zone or type, and the nearest change names the right one', async () => {
    const { plan } = await openMarket();
    expect(await plan(aClaim({ requirements: only(['general-smal']) }))).toMatchObject({
      outcome: 'impossible',
      nearestChange: expect.stringContaining('write "general-small" instead of "general-smal"'),
    });
  });

  it('is told with every problem at once, in the fields of a pool', async () => {
    const { plan } = await openMarket();
    const planned = await plan(
      aPool(
        { replicas: -1, disruption: { budgets: [{ nodes: 'many' }], consolidateAfter: '0s' } },
        {
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on_demand'] }],
          expireAfter: 'soon',
        },
      ),
    );
    expect(planned.outcome).toBe('invalid');
    expect(planned.problems?.map(({ path }) => path).sort()).toEqual([
      'spec.disruption.budgets[0]',
      'spec.replicas',
      'spec.template.spec.expireAfter',
      'spec.template.spec.requirements[0].values',
    ]);
  });

  it.each<[string, Fields, string]>([
    [
      'another kind',
      { ...aClaim(), kind: 'NodeClaims' },
      'kind: "NodeClaims" cannot be planned; use one of NodeClaim, NodePool; did you mean "NodeClaim"?',
    ],
    [
      'an old version',
      { ...aClaim(), apiVersion: 'karpenter.sh/v1beta1' },
      'apiVersion: must be karpenter.sh/v1, but is "karpenter.sh/v1beta1"',
    ],
    [
      'a name that no object has',
      { ...aPool(), metadata: { name: 'a,b=c' } },
      'metadata.name: "a,b=c" is not a valid name: use at most 253 lowercase letters, digits, "-" and ".", beginning and ending with a letter or digit',
    ],
    [
      'a claim without a spec',
      { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'one' } },
      'spec: is missing; it must be an object',
    ],
    [
      'a pool without a template',
      { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'a' }, spec: {} },
      'spec.template: is missing; it must be an object',
    ],
    [
      'a provider that is not there',
      aClaim({}, { annotations: { 'poolwright.dev/provider': 'sam' } }),
      'metadata.annotations["poolwright.dev/provider"]: there is no provider "sam" in cluster test; use one of sim, or remove the annotation; did you mean "sim"?',
    ],
  ])('is %s', async (_, object, told) => {
    const { plan } = await openMarket();
    const { outcome, problems = [] } = await plan(object);
    expect(outcome).toBe('invalid');
    expect(describeProblems(problems)).toBe(told);
  });
});

describe('a pool', () => {
  it('is as many machines as it lacks', async () => {
    const { world, plan } = await openMarket();
    const pool = aPool({ replicas: 5 });
    expect(await plan(pool)).toMatchObject({ outcome: 'launch', count: 5, pricePerHour: 0.24, pricePerMonth: 175.2 });
    for (const name of ['web-a', 'web-b'])
      await world.createClaim(name, { metadata: { labels: { 'karpenter.sh/nodepool': 'web' } } });
    const more = await plan(pool);
    expect(more).toMatchObject({ count: 3, pricePerHour: 0.144 });
    expect(more.hints).toContain('it already has 2 of its 5 claims');
    expect(await plan(aPool({ replicas: 5, limits: { nodes: '2' } }))).toMatchObject({ count: 0, pricePerHour: 0 });
  });

  it('without replicas is what one claim of it would get', async () => {
    const { plan } = await openMarket();
    const planned = await plan(aPool());
    expect(planned).toMatchObject({ outcome: 'launch', chosen: { instanceType: 'general-small' } });
    expect(planned).not.toHaveProperty('count');
  });
});

describe('hints', () => {
  it('name what is legal and probably not meant', async () => {
    const { plan } = await openMarket();
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on_demand', 'spot'] },
      { key: 'topology.kubernets.io/zone', operator: 'In', values: ['zone-a'] },
    ];
    const planned = await plan(aClaim({ requirements, resources: {} }));
    expect(planned.outcome).toBe('launch');
    expect(planned.hints).toMatchInlineSnapshot(`
      [
        "spec.requirements[0].values: no offering has "on_demand" as its karpenter.sh/capacity-type; did you mean "on-demand"?",
        "spec.requirements[1].key: "topology.kubernets.io/zone" is a custom label and does not affect the choice of instance type; did you mean "topology.kubernetes.io/zone"?",
        "spec.resources.requests: nothing is requested, so the cheapest instance type that fits is used",
      ]
    `);
  });
});

describe('a plan', () => {
  it('is quick with thousands of values that nobody knows, and refuses tens of thousands', async () => {
    const { plan } = await openMarket();
    const values = Array.from({ length: 900 }, (_, index) => `general-medium-${index}`);
    const requirements = (count: number) =>
      Array.from({ length: count }, () => ({ key: 'node.kubernetes.io/instance-type', operator: 'NotIn', values }));
    const planned = await plan(aClaim({ requirements: requirements(5) }));
    expect(planned.outcome).toBe('launch');
    expect(planned.hints).toHaveLength(5);
    expect((await plan(aClaim({ requirements: requirements(40) }))).outcome).toBe('invalid');
  });
});

describe('a question that is wrong', () => {
  it.each<[string, Json]>([
    ['404 cluster "tset" is not in the configuration; did you mean "test"?', { cluster: 'tset', object: {} }],
    ['400 In the body: object is missing.', { cluster: 'test' }],
    ['400 In the body: object must be an object, but it is an array.', { cluster: 'test', object: [] }],
    [
      '400 In the body: "nodeClass" is unknown; did you mean "nodeClasses"?',
      { cluster: 'test', object: {}, nodeClass: [] },
    ],
  ])('is refused: %s', async (told, body) => {
    const { ask } = await openMarket();
    const { status, json } = await ask('POST', '/v1/plan', body);
    expect(`${status} ${json.detail}`).toBe(told);
  });
});
