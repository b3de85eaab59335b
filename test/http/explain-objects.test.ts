/** GET /v1/pools/{cluster}/{name}/explain and GET /v1/node-classes/{cluster}/{name}/explain, over a real cluster API. */
import { describe, expect, it } from 'vitest';
import { reconcileNodeClasses } from '../../shared/nodes/pools/node-classes.ts';
import { usePoolWorld } from '../pools/pool-world.ts';
import { httpWorld } from './world.ts';

const open = usePoolWorld();

/** A host that asks the cluster, the state and the clock of a world with pools. */
async function explained() {
  const world = await open();
  const cluster = world.services.cluster('sim') ?? world.services.clusters[0];
  if (!cluster) throw new Error('the world has no cluster');
  const http = httpWorld();
  Object.assign(http.services, world.services);
  return { world, get: http.get, cluster: cluster.name };
}

const template = (kind: { group: string; kind: string }, type: string, name = 'default') => ({
  spec: {
    nodeClassRef: { group: kind.group, kind: kind.kind, name },
    expireAfter: 'Never',
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [type] }],
  },
});

describe('the explanation of a pool', () => {
  it('whose claims fail names the failure, the last claim and the next attempt', async () => {
    const { world, get, cluster } = await explained();
    await world.createPool('workers', { template: template(world.nodeClasses, 'no-such') });
    await world.live(600);

    const { status, json } = await get(`/v1/pools/${cluster}/workers/explain`);

    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'NodePool',
      name: 'workers',
      replicas: 3,
      nodes: 0,
      diagnosis: { code: 'NoInstanceTypeFits', until: expect.any(String) },
      failure: { claim: expect.stringMatching(/^workers-/), reason: 'NoInstanceTypeFits' },
      ours: true,
    });
    const { claim } = json.failure as { claim: string };
    expect((json.diagnosis as { fix: string }).fix).toContain(`poolwright explain claim/${claim}`);
    // And the claim that it names can be explained, though it is gone.
    const gone = await get(`/v1/claims/${cluster}/${claim}/explain`);
    expect(gone.json).toMatchObject({ gone: true, diagnosis: { code: 'NoInstanceTypeFits' } });
    // And the checks of the host know it.
    const checks = (await get('/v1/checks')).json.checks as { name: string }[];
    expect(checks.find(({ name }) => name === `cluster ${cluster}: pools: workers`)).toMatchObject({
      group: 'Pools and node classes',
      state: 'fail',
      code: 'NoInstanceTypeFits',
      repair: 'poolwright explain pool/workers',
    });
  });

  it('that has its nodes says that nothing is wrong', async () => {
    const { world, get, cluster } = await explained();
    await world.createPool('workers', { replicas: 2 });
    await world.live(60);
    const { json } = await get(`/v1/pools/${cluster}/workers/explain`);
    expect(json).toMatchObject({ nodes: 2, diagnosis: { well: true }, claims: [{ ready: true }, { ready: true }] });
    const checks = (await get('/v1/checks')).json.checks as { name: string }[];
    expect(checks.find(({ name }) => name === `cluster ${cluster}: pools`)).toMatchObject({ state: 'pass' });
  });

  it('without its node class says which one is missing', async () => {
    const { world, get, cluster } = await explained();
    await world.createPool('workers', { template: template(world.nodeClasses, 'general-small', 'absent') });
    await world.live(40);
    const { json } = await get(`/v1/pools/${cluster}/workers/explain`);
    expect(json.diagnosis).toMatchObject({ code: 'NodeClassNotFound', cause: expect.stringContaining('absent') });
  });

  it('that a pause holds up says how to resume, and one that nobody serves says so', async () => {
    const { world, get, cluster } = await explained();
    await world.createPool('workers', { replicas: 2 });
    await world.services.state.put(`pause/cluster/${cluster}`, { why: 'budget', at: 0 });
    await world.live(40);
    const { json } = await get(`/v1/pools/${cluster}/workers/explain`);
    expect(json.diagnosis).toMatchObject({ code: 'Paused', fix: `to resume: poolwright resume cluster ${cluster}` });

    const strange = template({ group: 'x.dev', kind: 'XClass' }, 'general-small');
    await world.createPool('strange', { template: strange });
    const other = await get(`/v1/pools/${cluster}/strange/explain`);
    expect(other.json).toMatchObject({
      ours: false,
      diagnosis: { cause: expect.stringContaining('no configured provider') },
    });
  });

  it('that is not there is a 404, and so is a cluster that is not', async () => {
    const { get, cluster } = await explained();
    const none = await get(`/v1/pools/${cluster}/none/explain`);
    expect([none.status, none.json.code]).toEqual([404, 'UnknownPool']);
    expect((await get('/v1/pools/nowhere/none/explain')).json.code).toBe('UnknownCluster');
  });
});

describe('the explanation of a node class', () => {
  it('says whether it is ready and which pools use it, and finds it by its kind too', async () => {
    const { world, get, cluster } = await explained();
    await world.createPool('workers');
    await reconcileNodeClasses(world.services, world.services.clusters[0] as never, new AbortController().signal);
    const kind = world.nodeClasses.kind;
    for (const query of ['', `?kind=${kind}`, `?kind=${kind.toLowerCase()}`]) {
      const { status, json } = await get(`/v1/node-classes/${cluster}/default/explain${query}`);
      expect([status, json.kind, json.pools]).toEqual([200, kind, ['workers']]);
      expect(json.diagnosis).toMatchObject({ well: true });
    }
    const none = await get(`/v1/node-classes/${cluster}/none/explain`);
    expect([none.status, none.json.code]).toEqual([404, 'UnknownNodeClass']);
    expect((await get(`/v1/node-classes/${cluster}/default/explain?kind=NoKind`)).status).toBe(404);
  });
});
