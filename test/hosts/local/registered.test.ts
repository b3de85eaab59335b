/** The local host with a cluster that a request has made: served from when it is registered until it is not. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { registerOf } from '../../../functions/hosts/common/registered-clusters.ts';
import { openDataDirectory } from '../../../functions/hosts/local/data-directory.ts';
import { startLocalHost } from '../../../functions/hosts/local/host.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { RegisteredCluster } from '../../../shared/clusters/registered/contract.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import { nodeClaims, type Resource, secrets } from '../../../shared/kube/contract.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { collectingLog, silentLog } from '../../../shared/observe/log/log.ts';
import { kubeconfigFor, startClusterApi } from '../../../sim/cluster/server.ts';
import { conditionStatus } from '../../nodes/world.ts';
import { temporaryDirectory, useProcesses, worldBeside } from './host-process.ts';

useProcesses();
const endings: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const nodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};
const nodeClassRef = { group: nodeClasses.group, kind: nodeClasses.kind, name: 'default' };

async function aHost() {
  const { config: file } = await worldBeside();
  const loaded = loadConfig(file, {}, { clusters: { sim: { clusterRequests: {} } } });
  if (!loaded.ok) throw new Error(loaded.text);
  const directory = openDataDirectory(temporaryDirectory());
  const log = collectingLog();
  const host = await startLocalHost({ config: loaded.config, directory, log, version: 'test' });
  if (!host.ok) throw new Error(host.error.message);
  endings.push(
    () => directory.release(),
    () => host.value.stop(),
  );
  return { services: host.value.services, log };
}

async function aNewCluster() {
  const cluster = await startClusterApi({ file: ':memory:', port: 0 });
  const connection = { url: cluster.url, name: 'web', clock: systemClock, log: silentLog, requestTimeoutMs: 5000 };
  const api = connectCluster({ ...connection, fieldManager: 'test' });
  endings.push(
    () => cluster.close(),
    () => api.close(),
  );
  return { ...cluster, api };
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(20);
  }
}

it('launches the claims of a cluster whose kubeconfig is in a Secret, and lets it go when it is not registered any more', async () => {
  const { services } = await aHost();
  const made = await aNewCluster();
  const management = services.clusters[0]!.api;
  const data = { value: Buffer.from(kubeconfigFor(made.url)).toString('base64') };
  const metadata = { name: 'web-kubeconfig', namespace: 'default' };
  await management.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const apiVersion = `${nodeClasses.group}/${nodeClasses.version}`;
  await made.api.create(nodeClasses, { apiVersion, kind: nodeClasses.kind, metadata: { name: 'default' }, spec: {} });
  const record: RegisteredCluster = {
    name: 'web',
    uid: made.kubeSystemUid,
    server: made.url,
    access: { kind: 'secret', cluster: 'sim', ...metadata, key: 'value' },
    request: { store: 'sim', namespace: 'default', name: 'web', uid: 'r-1' },
  };
  const register = registerOf({ clusters: { sim: {} } } as never, services.state);

  expect(await register.registerCluster(record)).toMatchObject({ ok: true });
  await until(() => services.cluster('web'));
  await made.api.create(nodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'one' },
    spec: { nodeClassRef, requirements: [], resources: { requests: { cpu: '1' } } },
  });
  await until(async () => {
    const claim = await made.api.get<StoredClaim>(nodeClaims, { name: 'one' });
    return claim.ok && conditionStatus(claim.value, 'Launched') === 'True' ? claim : undefined;
  });

  expect(await register.unregisterCluster('web', { uid: 'r-1' })).toMatchObject({ ok: true });
  await until(() => (services.clusters.length === 1 ? true : undefined));
  expect(services.cluster('web')).toBeUndefined();
});

it('does not serve a cluster that has another uid than its record', async () => {
  const { services, log } = await aHost();
  const made = await aNewCluster();
  const management = services.clusters[0]!.api;
  const data = { value: Buffer.from(kubeconfigFor(made.url)).toString('base64') };
  const metadata = { name: 'web-kubeconfig', namespace: 'default' };
  await management.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  await registerOf({ clusters: { sim: {} } } as never, services.state).registerCluster({
    name: 'web',
    uid: 'another',
    server: made.url,
    access: { kind: 'secret', cluster: 'sim', ...metadata, key: 'value' },
    request: { store: 'sim', namespace: 'default', name: 'web', uid: 'r-1' },
  });

  const said = await until(() => log.lines.find(({ event }) => event === 'cluster.access.doubtful'));
  expect(said.fields).toMatchObject({ cluster: 'web', problem: expect.stringContaining('another cluster answers') });
  expect(services.cluster('web')).toBeUndefined();
});
