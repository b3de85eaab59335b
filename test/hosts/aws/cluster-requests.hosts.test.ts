/** A request for a cluster on the functions as they are deployed on AWS. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { buildAwsEntries } from '../../../scripts/package/build.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { expectClusterAndNothing } from '../request-life.ts';
import { neededEntries } from './entries.ts';
import { type AwsHostWorld, startAwsHostWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-aws-requests-'));
let world: AwsHostWorld;

beforeAll(async () => {
  await buildAwsEntries(folder, neededEntries);
  const cluster = { clusterRequests: { pollAtMost: '1s' } };
  world = await startAwsHostWorld({ folder, cluster, aso: { settings: instantly } });
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('becomes a cluster, also when every process is killed in the middle, and nothing again', async () => {
  await expectClusterAndNothing({
    world: world.world,
    post: async (body) => (await world.http('POST', '/v1/events', { body })).status,
    tick: (timer) => world.functions.call('reconcile', { timer }),
    kill: () => world.functions.kill(),
    said: () => world.said(),
  });
});
