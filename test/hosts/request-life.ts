/** A request for a cluster on a host of a cloud: told by events, looked at by ticks of the timer. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import type { StoredRequest } from '../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../shared/clusters/store/kube.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { findCondition } from '../../shared/kube/conditions.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { doubled } from '../../sim/aso/azure/ledger.ts';
import type { World } from '../../sim/scenes/sim.ts';
import { mustBe } from '../cli/cluster-world.ts';

export interface RequestHost {
  world: World;
  /** Posts an event to the intake, and answers its status. */
  post(event: object): Promise<number>;
  tick(timer: string): Promise<unknown>;
  /** Every process dies; what is asked next finds others. */
  kill(): Promise<void> | void;
  said(): string;
}

const giveUpMs = 120_000;
const at = { namespace: 'default', name: 'web' };
const spec = { location: 'westeurope', kubernetesVersion: '1.35', nodes: 'agentPools' };

export async function expectClusterAndNothing({ world, post, tick, kill, said }: RequestHost): Promise<void> {
  const connection = { name: 'sim', url: world.cluster.url, clock: systemClock, log: silentLog };
  const api = connectCluster({ ...connection, env: {}, requestTimeoutMs: 60_000, fieldManager: 'test' });
  const store = kubeRequestStore(api);
  const look = async (enough: (request: StoredRequest | undefined) => boolean): Promise<void> => {
    const end = performance.now() + giveUpMs;
    for (;;) {
      const found = await store.get(at);
      const request = found.ok ? found.value : undefined;
      if (enough(request)) return;
      if (performance.now() > end) throw new Error(`${JSON.stringify(request?.status)}\n${said()}`);
      await pause(50);
    }
  };
  const tell = async ({ metadata: { uid } }: StoredRequest, deleting: boolean): Promise<void> => {
    const data = { cluster: 'sim', ...at, uid, deleting, observedBy: 'bridge' as const };
    const attributes = { id: `${uid}-${deleting}`, time: Date.now(), source: '/test', subject: 'sim/default/web' };
    expect(await post(makeEvent('dev.poolwright.cluster-request.changed.v1', data, attributes))).toBe(202);
  };
  try {
    const request = mustBe(await store.create({ ...at, spec }));
    await tell(request, false);
    await look((one) => one?.metadata.annotations?.['poolwright.dev/cluster-record'] !== undefined);
    await kill();
    await look((one) => findCondition(one?.status?.conditions, 'Ready')?.status === 'True');
    expect(doubled(world.aso?.azure.ledger() ?? [])).toEqual([]);
    // Nobody tells of the deletion: the timer finds it.
    mustBe(await store.delete(at, { uid: request.metadata.uid }));
    await tick('cluster-requests');
    await look((one) => one === undefined);
    expect(world.aso?.azure.living()).toEqual([]);
  } finally {
    api.close();
  }
}
