/** A claim's whole life on the app as it is published: from its event to Ready, and from its deletion to nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { azureEntries } from '../../scripts/build.ts';
import { packageAzure } from '../../scripts/package-azure.ts';
import type { ClusterApi, Resource } from '../../shared/cluster/contract.ts';
import { nodeClaims } from '../../shared/cluster/contract.ts';
import { connectCluster } from '../../shared/cluster/http.ts';
import type { StoredClaim } from '../../shared/lifecycle/claim-access.ts';
import { silentLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/runtime.ts';
import { conditionStatus } from '../lifecycle/world.ts';
import { type AzureHostProcess, type AzureHostWorld, startAzureHostWorld } from './world.ts';

const nodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};
const folder = mkdtempSync(join(tmpdir(), 'poolwright-azure-life-'));
let world: AzureHostWorld;
let host: AzureHostProcess;
let api: ClusterApi;

beforeAll(async () => {
  expect(await packageAzure({ folder: join(folder, 'azure'), entries: azureEntries() })).toEqual([]);
  world = await startAzureHostWorld({ package: join(folder, 'azure'), timers: false });
  host = await world.startHost();
  api = connectCluster({
    url: world.world.cluster.url,
    name: 'sim',
    clock: systemClock,
    log: silentLog,
    env: {},
    requestTimeoutMs: 10_000,
    connectTimeoutMs: 5000,
    fieldManager: 'test',
    maxSockets: 4,
  });
});
afterAll(async () => {
  api?.close();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (path: string, body?: unknown) =>
  fetch(`${host.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/cloudevents+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const tick = (timer: string) => fetch(`${host.url}/admin/functions/${timer}`, { method: 'POST' });

async function tell(claim: StoredClaim, deleting: boolean): Promise<void> {
  const { name, uid } = claim.metadata;
  const data = { cluster: 'sim', name, uid, deleting, observedBy: 'bridge' as const };
  const attributes = { id: `${uid}-${deleting}`, time: Date.now(), source: '/test', subject: `sim/${name}` };
  const answer = await call('/v1/events', makeEvent('dev.poolwright.claim.changed.v1', data, attributes));
  expect(answer.status).toBe(202);
}

async function look(
  name: string,
  enough: (claim: StoredClaim | undefined) => boolean,
): Promise<StoredClaim | undefined> {
  for (let tries = 0; tries < 1000; tries++) {
    const got = await api.get<StoredClaim>(nodeClaims, { name });
    const claim = got.ok ? got.value : undefined;
    if (enough(claim)) return claim;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`claim ${name} did not get there; the host said:\n${host.said()}`);
}

async function createClaim(name: string): Promise<StoredClaim> {
  const { group, version, kind } = nodeClasses;
  await api.create(nodeClasses, { apiVersion: `${group}/${version}`, kind, metadata: { name: 'default' }, spec: {} });
  const made = await api.create<StoredClaim>(nodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: { nodeClassRef: { group, kind, name: 'default' }, requirements: [], resources: { requests: { cpu: '1' } } },
  } as never);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

it('takes a claim from its event to Ready and back to nothing', async () => {
  const claim = await createClaim('one');
  await tell(claim, false);
  const ready = await look('one', (found) => conditionStatus(found, 'Ready') === 'True');
  expect(ready?.status?.providerID).toMatch(/^sim:/);
  expect(world.world.cloud.living).toBe(1);

  await api.delete(nodeClaims, { name: 'one' }, {});
  await tell(claim, true);
  await look('one', (found) => found === undefined);
  expect(world.world.cloud.living).toBe(0);
});

it('needs no event: the resync finds a claim, and another process goes on with what one began', async () => {
  await createClaim('two');
  expect((await tick('resync')).status).toBe(202);
  await look('two', (found) => found?.status?.providerID !== undefined);
  await host.kill('SIGKILL');
  host = await world.startHost();
  await look('two', (found) => conditionStatus(found, 'Ready') === 'True');
  await api.delete(nodeClaims, { name: 'two' }, {});
  await tick('resync');
  await look('two', (found) => found === undefined);
  expect(world.world.cloud.living).toBe(0);
});

it('tells whether it is ready, and what its worker has counted', async () => {
  const ready = await call('/readyz');
  expect(await ready.json()).toMatchObject({ ready: true, checks: { 'owner of sim': { ok: true } } });
  const metrics = await (await call('/metrics')).text();
  expect(metrics).toMatch(/poolwright_step_duration_seconds_count\{activity="finish",outcome="completed"\} [1-9]/);
});
