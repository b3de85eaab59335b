/** A claim's whole life on the app as it is published: from its event to Ready, and from its deletion to nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeEvent } from '../../../events/make.ts';
import { packageAzure } from '../../../scripts/package/azure.ts';
import { azureEntries } from '../../../scripts/package/build.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { conditionStatus } from '../../nodes/world.ts';
import { type Claims, claimsOf } from './claims.ts';
import { type AzureHostProcess, type AzureHostWorld, startAzureHostWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-azure-life-'));
let world: AzureHostWorld;
let host: AzureHostProcess;
let claims: Claims;

beforeAll(async () => {
  expect(await packageAzure({ folder: join(folder, 'azure'), entries: azureEntries() })).toEqual([]);
  world = await startAzureHostWorld({ package: join(folder, 'azure'), timers: false });
  host = await world.startHost();
  claims = claimsOf(world.world.cluster.url, () => host.said());
});
afterAll(async () => {
  claims?.close();
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
const isReady = (claim: StoredClaim | undefined): boolean => conditionStatus(claim, 'Ready') === 'True';
const isGone = (claim: StoredClaim | undefined): boolean => claim === undefined;

async function tell({ metadata }: StoredClaim, deleting: boolean): Promise<void> {
  const { name, uid } = metadata;
  const data = { cluster: 'sim', name, uid, deleting, observedBy: 'bridge' as const };
  const attributes = { id: `${uid}-${deleting}`, time: Date.now(), source: '/test', subject: `sim/${name}` };
  const answer = await call('/v1/events', makeEvent('dev.poolwright.claim.changed.v1', data, attributes));
  expect(answer.status).toBe(202);
}

it('takes a claim from its event to Ready and back to nothing', async () => {
  const claim = await claims.create('one');
  await tell(claim, false);
  const ready = await claims.look('one', isReady);
  expect(ready?.status?.providerID).toMatch(/^sim:/);
  expect(world.world.cloud.living).toBe(1);

  await claims.delete('one');
  await tell(claim, true);
  await claims.look('one', isGone);
  expect(world.world.cloud.living).toBe(0);
});

it('needs no event: the resync finds a claim, and another process goes on with what one began', async () => {
  await claims.create('two');
  expect((await tick('resync')).status).toBe(202);
  await claims.look('two', (claim) => claim?.status?.providerID !== undefined);
  await host.kill('SIGKILL');
  host = await world.startHost();
  await claims.look('two', isReady);
  await claims.delete('two');
  await tick('resync');
  await claims.look('two', isGone);
  expect(world.world.cloud.living).toBe(0);
});

it('tells whether it is ready, and what its worker has counted', async () => {
  const ready = await call('/readyz');
  expect(await ready.json()).toMatchObject({ ready: true, checks: { 'owner of sim': { ok: true } } });
  const metrics = await (await call('/metrics')).text();
  expect(metrics).toMatch(
    /poolwright_step_duration_seconds_count\{activity="finish",outcome="completed",function="steps"\} [1-9]/,
  );
});
