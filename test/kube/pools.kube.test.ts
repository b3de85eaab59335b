/** Static pools and node classes, by the local host on a real API server, with kubectl as people use it. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodeClaims, nodePools } from '../../shared/kube/contract.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import { conditionsOf, type WithStatus } from '../../shared/nodes/pools/object-status.ts';
import type { FaultRules } from '../../sim/kit/faults.ts';
import { type HostWorld, isTrue, simNodeClasses, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';
import { freshName } from './use-kube.ts';

const kube = useOwnKube();
const run = promisify(execFile);
const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
const often = { cluster: { reconcile: { pools: 1, nodeClasses: 1, expiration: 1 } } };

const kubectl = (...args: string[]): Promise<string> =>
  run('kubectl', ['--kubeconfig', kube().kubeconfig, ...args]).then(({ stdout }) => stdout);

async function createPool({ api }: HostWorld, name: string, replicas: number, more: { [field: string]: Json } = {}) {
  const made = await api.create<StoredPool>(nodePools, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      replicas,
      template: {
        spec: {
          nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
          requirements: [],
          expireAfter: 'Never',
          ...more,
        },
      },
    },
  });
  if (!made.ok) throw new Error(made.error.message);
}

/** The claims of the pool, and whether all of them are ready. */
async function claimsOf({ kube: cluster }: HostWorld, pool: string) {
  const path = `/apis/karpenter.sh/v1/nodeclaims?labelSelector=${encodeURIComponent(`karpenter.sh/nodepool=${pool}`)}`;
  const answer = await cluster.request('GET', path);
  const { items } = answer.body as unknown as { items: WithStatus[] };
  return items;
}
const allReady = async (world: HostWorld, pool: string, count: number): Promise<boolean> => {
  const claims = await claimsOf(world, pool);
  return claims.length === count && claims.every((claim) => isTrue(claim, 'Ready'));
};

/** The host of the test is gone by then, so that nobody is left to take the claims down. */
async function endPool(world: HostWorld, name: string): Promise<void> {
  await world.api.mergePatch(nodePools, { name }, { spec: { replicas: 0 } });
  await world.until(async () => (await claimsOf(world, name)).length === 0);
  await world.api.delete(nodePools, { name }, {});
}

afterEach(() => {
  if (!hasKubectl) console.warn('kubectl is not on the PATH: what needs it was skipped');
});

describe('a static pool on a real API server', () => {
  it.skipIf(!hasKubectl)('is scaled by kubectl scale, up and down, and kubectl shows how many there are', async () => {
    const world = await startHostWorld(kube(), often);
    await world.startHost();
    const pool = freshName('scaled');
    await createPool(world, pool, 1);
    await world.until(() => allReady(world, pool, 1));
    await kubectl('scale', 'nodepool', pool, '--replicas=4');
    await world.until(() => allReady(world, pool, 4));
    await world.until(async () => (await kubectl('get', 'nodepool', pool, '-o', 'jsonpath={.status.nodes}')) === '4');
    const scale = await world.kube.request('GET', `/apis/karpenter.sh/v1/nodepools/${pool}/scale`);
    expect(scale.body).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 4 } });
    await kubectl('scale', 'nodepool', pool, '--replicas=2');
    await world.until(() => allReady(world, pool, 2));
    await world.until(() => world.cloud.living === 2);
    expect(await kubectl('describe', 'nodepool', pool)).toMatch(/ScaledUp/);
    await endPool(world, pool);
  });

  it('brings back a cluster that has lost every node', async () => {
    const vanish: FaultRules = [{ on: 'create', count: 2, do: { kind: 'vanish', afterSeconds: 3 } }];
    const world = await startHostWorld(kube(), { ...often, cloud: { faults: vanish, nodeLostSeconds: 0.5 } });
    await world.startHost();
    const pool = freshName('phoenix');
    await createPool(world, pool, 2);
    await world.until(() => allReady(world, pool, 2));
    const before = new Set((await claimsOf(world, pool)).map(({ metadata }) => metadata.uid));
    await world.until(() => world.cloud.living === 0);
    await world.until(
      async () =>
        (await allReady(world, pool, 2)) &&
        (await claimsOf(world, pool)).every(({ metadata }) => !before.has(metadata.uid)),
    );
    expect(world.cloud.living).toBe(2);
    await endPool(world, pool);
  });

  it('replaces drifted nodes, the new ones first, and removes its claims with it', async () => {
    const world = await startHostWorld(kube(), often);
    await world.startHost();
    const pool = freshName('drifts');
    await createPool(world, pool, 2);
    await world.until(() => allReady(world, pool, 2));
    let fewest = 2;
    let driftedSeen: string | undefined;
    const patched = await world.api.mergePatch(
      nodePools,
      { name: pool },
      { spec: { template: { metadata: { labels: { release: 'second' } } } } },
    );
    expect(patched.ok).toBe(true);
    await world.until(async () => {
      const claims = await claimsOf(world, pool);
      fewest = Math.min(fewest, claims.filter((claim) => isTrue(claim, 'Ready')).length);
      driftedSeen ??= claims.flatMap(conditionsOf).find(({ type }) => type === 'Drifted')?.reason;
      return claims.length === 2 && claims.every(({ metadata }) => metadata.labels?.release === 'second');
    });
    expect(fewest).toBe(2);
    expect(driftedSeen).toBe('NodePoolDrifted');
    await world.until(() => allReady(world, pool, 2));
    // No controller manager runs here: the claims go because we collect them.
    await world.api.delete(nodePools, { name: pool }, {});
    await world.until(async () => (await claimsOf(world, pool)).length === 0);
    expect(world.cloud.living).toBe(0);
  });

  it('leaves its nodes to whoever deletes it with --cascade=orphan', async () => {
    const world = await startHostWorld(kube(), often);
    await world.startHost();
    const [pool, other] = [freshName('left'), freshName('other')];
    await createPool(world, pool, 2);
    await world.until(() => allReady(world, pool, 2));
    const path = `/apis/karpenter.sh/v1/nodepools/${pool}?propagationPolicy=Orphan`;
    expect((await world.kube.request('DELETE', path)).body).toMatchObject({ metadata: { finalizers: ['orphan'] } });
    // When another pool has been served, this one has been looked at as well.
    await createPool(world, other, 1);
    await world.until(() => allReady(world, other, 1));
    const claims = await claimsOf(world, pool);
    expect(claims.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
    // What the controller manager would do now.
    for (const { metadata } of claims) {
      await world.api.mergePatch(nodeClaims, { name: metadata.name }, { metadata: { ownerReferences: null } });
    }
    await world.api.mergePatch(nodePools, { name: pool }, { metadata: { finalizers: null } });
    await endPool(world, other);
    expect(await allReady(world, pool, 2)).toBe(true);
    for (const { metadata } of claims) await world.api.delete(nodeClaims, { name: metadata.name }, {});
    await world.until(() => world.cloud.living === 0);
  });
});

describe('a node class on a real API server', () => {
  it('says what it resolves to, and holds up the claims of its pool while it is wrong', async () => {
    const world = await startHostWorld(kube(), often);
    await world.startHost();
    const name = freshName('class');
    const aClass = (zones: string[]) => ({
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'SimNodeClass',
      metadata: { name },
      spec: { zones },
    });
    await world.kube.apply(aClass(['zone-q']));
    const pool = freshName('waits');
    await createPool(world, pool, 1, { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name } });
    const classReady = async (): Promise<string> => {
      const got = await world.api.get<StoredPool>(nodePools, { name: pool });
      const conditions = got.ok ? got.value.status?.conditions : undefined;
      return conditions?.find(({ type }) => type === 'NodeClassReady')?.message ?? '';
    };
    await world.until(async () => (await classReady()).includes('ZonesNotFound'));
    expect(await claimsOf(world, pool)).toEqual([]);

    await world.kube.apply(aClass(['zone-a']));
    await world.until(() => allReady(world, pool, 1));
    const stored = await world.api.get<WithStatus>(simNodeClasses, { name });
    expect(stored).toMatchObject({ value: { status: { zones: ['zone-a'], image: 'sim-image-1' } } });
    await endPool(world, pool);
  });
});
