/** The local host with requests for clusters: an object in the management cluster becomes a cluster, and nothing again. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { openDataDirectory } from '../../../functions/hosts/local/data-directory.ts';
import { startLocalHost } from '../../../functions/hosts/local/host.ts';
import type { StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../../shared/clusters/store/kube.ts';
import { type ConfigInput, loadConfig } from '../../../shared/config/load.ts';
import { findCondition } from '../../../shared/kube/conditions.ts';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { startWorld } from '../../../sim/scenes/sim.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { temporaryDirectory } from './host-process.ts';

const endings: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function aHost(more: ConfigInput = {}) {
  const path = temporaryDirectory();
  const world = await startWorld({ directory: path, aso: { settings: instantly } });
  endings.push(() => world.close());
  const loaded = loadConfig(
    undefined,
    {},
    {
      http: { port: 0 },
      clusters: { sim: { server: world.cluster.url, clusterRequests: { everySeconds: '1s' } } },
      providers: { sim: { type: 'sim', url: world.cloud.url } },
      ...more,
    },
  );
  if (!loaded.ok) throw new Error(loaded.text);
  const directory = openDataDirectory(path);
  endings.push(() => directory.release());
  const log = collectingLog();
  const host = await startLocalHost({ config: loaded.config, directory, log, version: 'test' });
  if (!host.ok) return { refused: host.error.message };
  endings.push(() => host.value.stop());
  const { services } = host.value;
  return { services, log, world, store: kubeRequestStore(services.clusters[0]!.api) };
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(20);
  }
}

const at = { namespace: 'default', name: 'web' };
const spec = { location: 'westeurope', kubernetesVersion: '1.35', nodes: 'agentPools' } as const;
const isReady = ({ status }: StoredRequest): boolean => findCondition(status?.conditions, 'Ready')?.status === 'True';

it('makes the cluster that an object asks for, and removes it with the object', async () => {
  const { store, world, services, log } = await aHost();
  if (store === undefined) throw new Error('the host did not start');
  const { uid } = mustBe(await store.create({ ...at, spec })).metadata;
  await until(async () => {
    const found = await store.get(at);
    return found.ok && isReady(found.value) ? found : undefined;
  });
  expect(world.aso?.azure.living().map(({ type }) => type)).toContain('Microsoft.ContainerService/managedClusters');
  const families = await services.metrics.families();
  await until(async () =>
    JSON.stringify(await services.metrics.families()).includes('"phase":"ready"') ? true : undefined,
  );
  expect(families.map(({ name }) => name)).toContain('cluster_ready_time_seconds');

  mustBe(await store.delete(at, { uid }));
  await until(async () => ((await store.get(at)).ok ? undefined : true));
  expect(world.aso?.azure.living()).toEqual([]);
  const events = log.lines.map(({ event }) => event);
  expect(events).toEqual(
    expect.arrayContaining(['cluster-request.begun', 'cluster-request.ready', 'cluster-request.gone']),
  );
});

it('does not start with a receiver whose address cannot be read', async () => {
  const { refused } = await aHost({ clusterRequests: { notifications: { chat: { urlFile: '/nowhere/url' } } } });
  expect(refused).toContain('clusterRequests.notifications.chat.urlFile: /nowhere/url must contain');
});
