/** A request for a cluster on the app as it is published for Azure Functions. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageAzure } from '../../../scripts/package/azure.ts';
import { azureEntries } from '../../../scripts/package/build.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { expectClusterAndNothing } from '../request-life.ts';
import { type AzureHostProcess, type AzureHostWorld, startAzureHostWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-azure-requests-'));
let world: AzureHostWorld;
let host: AzureHostProcess;

beforeAll(async () => {
  expect(await packageAzure({ folder: join(folder, 'azure'), entries: azureEntries() })).toEqual([]);
  const cluster = { clusterRequests: { pollAtMost: '1s' } };
  const aso = { settings: instantly };
  world = await startAzureHostWorld({ package: join(folder, 'azure'), timers: false, cluster, aso });
  host = await world.startHost();
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('becomes a cluster, also when the process is killed in the middle, and nothing again', async () => {
  await expectClusterAndNothing({
    world: world.world,
    post: async (event) => {
      const headers = {
        authorization: `Bearer ${world.token}`,
        'content-type': 'application/cloudevents+json',
      };
      return (await fetch(`${host.url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event) })).status;
    },
    tick: (timer) => fetch(`${host.url}/admin/functions/${timer}`, { method: 'POST' }),
    kill: async () => {
      await host.kill('SIGKILL');
      host = await world.startHost();
    },
    said: () => host.said(),
  });
});
