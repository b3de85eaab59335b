import { expect, onTestFinished, test } from 'vitest';
import { reconcilers } from '../../functions/catalog.ts';
import { expectedTimers } from '../../functions/http/routes/status/checks/timers.ts';
import { createHeartbeats } from '../../functions/reconcilers/heartbeat.ts';
import type { Check } from '../../shared/base/checks.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import type { Timers } from '../../shared/base/timers.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { type HttpWorld, httpWorld } from './world.ts';

async function checksOf(world: HttpWorld): Promise<Check[]> {
  const { status, json } = await world.get('/v1/checks');
  expect(status).toBe(200);
  expect(json.version).toBe('1.2.3');
  return json.checks as unknown[] as Check[];
}

const named = (checks: readonly Check[], name: string): Check[] => checks.filter((check) => check.name === name);

const atOnce: Timers = {
  after: (_, callback) => {
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
};

async function simulatedCluster() {
  const server = await startClusterApi({ file: ':memory:', port: 0 });
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 60_000, fieldManager: 'test' };
  const api = connectCluster({ name: 'production', url: server.url, ...common });
  onTestFinished(async () => {
    api.close();
    await server.close();
  });
  return api;
}

test('every timer that hosts run is expected', async () => {
  expect(Object.keys(expectedTimers).sort()).toEqual(reconcilers.map(({ name }) => name).sort());
});

test('timers are judged by their last run', async () => {
  const world = httpWorld();
  const { clock } = world;
  const beats = createHeartbeats({ state: world.services.state, clock });
  await beats.note('garbage-collection', 'production', { everySeconds: 60 });
  clock.advance(3600_000);
  await beats.note('resync', 'production', { everySeconds: 60 });
  const error = new Error('refused: Authorization: Bearer abcdefghijkl');
  await beats.note('expiration', 'production', { everySeconds: 60, error });
  clock.advance(30_000);

  const checks = await checksOf(world);

  expect(named(checks, 'cluster production: timer resync')).toEqual([
    { name: 'cluster production: timer resync', state: 'pass', message: 'it runs every 1m; it last ran 30s ago' },
  ]);
  expect(named(checks, 'cluster production: timer expiration')[0]).toMatchObject({
    state: 'warn',
    code: 'TimerFailing',
    message: 'the run 30s ago failed: refused: Authorization: Bearer [redacted]',
  });
  expect(named(checks, 'cluster production: timer garbage-collection')[0]).toMatchObject({
    state: 'fail',
    code: 'TimerLate',
    message: 'it last ran 1h30s ago, although it runs every 1m: instances without a claim are not found',
  });
  expect(named(checks, 'cluster staging: timer resync')[0]).toMatchObject({ state: 'warn', code: 'TimerLate' });
});

test('a queue whose oldest event waits fails, and dead letters warn', async () => {
  const world = httpWorld();
  await world.queue.send(['a', 'b']);
  const [message] = await world.queue.receive(1);
  if (message) await world.queue.deadLetter(message, 'no event');
  world.clock.advance(600_000);

  const checks = await checksOf(world);

  expect(named(checks, 'queue events')[0]).toMatchObject({ state: 'fail', code: 'QueueLate' });
  expect(named(checks, 'queue events: dead letters')[0]).toMatchObject({
    state: 'warn',
    message: '1 message was dead-lettered because it could not be processed',
  });
});

test('a cluster that does not answer warns where something could not be checked, and the rest is still said', async () => {
  const world = httpWorld({
    cluster: { identity: async () => ({ ok: false, error: { kind: 'unavailable', message: 'no route' } }) },
  });

  const checks = await checksOf(world);

  expect(named(checks, 'cluster production')).toEqual([
    expect.objectContaining({ state: 'fail', code: 'ClusterUnavailable', message: 'no route' }),
  ]);
  expect(named(checks, 'cluster production: claims')[0]?.message).toMatch(/^not checked: /);
  expect(named(checks, 'queue events')[0]?.state).toBe('pass');
});

test('a look that takes too long does not keep the others', async () => {
  const world = httpWorld({
    cluster: { identity: () => new Promise(() => undefined) },
    timers: atOnce,
  });

  const checks = await checksOf(world);

  expect(named(checks, 'cluster production')[0]?.message).toBe('not checked: no answer within 8 seconds');
});

test('claims that are not Ready in time are named, and those of others are not', async () => {
  const api = await simulatedCluster();
  const claim = (name: string, group: string, kind: string) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: { nodeClassRef: { group, kind, name: 'default' }, requirements: [] },
  });
  await api.create(nodeClaims, claim('stuck', 'poolwright.dev', 'SimNodeClass'));
  await api.create(nodeClaims, claim('theirs', 'example.org', 'OtherNodeClass'));
  const world = httpWorld({ api });
  world.clock.advance(systemClock.now() - world.clock.now());
  expect(named(await checksOf(world), 'cluster production: claims')).toEqual([
    { name: 'cluster production: claims', state: 'pass', message: '1 served by this deployment, none of them stuck' },
  ]);

  world.clock.advance(86_400_000);

  expect(named(await checksOf(world), 'cluster production: claims')).toEqual([
    expect.objectContaining({
      state: 'warn',
      code: 'StaleClaims',
      message: expect.stringMatching(/^1 claim is not Ready after .*: stuck$/),
      repair: 'poolwright explain claim/stuck',
    }),
  ]);
});

test('what is paused warns with the way to resume it', async () => {
  const world = httpWorld();
  await world.send('PUT', '/v1/pauses/cluster/production', { why: 'a freeze' });

  expect(named(await checksOf(world), 'cluster production: pause')).toEqual([
    expect.objectContaining({ state: 'warn', repair: 'poolwright resume cluster production' }),
  ]);
});

test('rights that the host lacks are named one by one', async () => {
  const world = httpWorld();
  const lacking = [
    { kind: 'right', message: 'may not patch nodeclaims.karpenter.sh/status (writes conditions)' },
    { kind: 'definition', message: 'may not be old: nodeclaims.karpenter.sh' },
  ];
  Object.assign(world.services, {
    ownership: { ...world.services.ownership, lacks: async () => ({ ok: true, value: lacking }) },
  });

  const checks = named(await checksOf(world), 'cluster production: definitions and rights');

  const [rights, definitions] = [expect.stringContaining('provisioner.yaml'), expect.stringContaining('crds check')];
  expect(checks.map(({ message, state, repair }) => [state, message, repair])).toEqual([
    ['fail', 'the host may not patch nodeclaims.karpenter.sh/status (writes conditions)', rights],
    // Its kind tells what it is, and not its words.
    ['fail', 'may not be old: nodeclaims.karpenter.sh', definitions],
  ]);
});

test('an admission is noted once in a while', async () => {
  const world = httpWorld();
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', resource: { group: '', resource: 'pods' }, object: {}, oldObject: null },
  };
  await world.send('POST', '/v1/webhook/production', review);
  world.clock.advance(60_000);
  await world.send('POST', '/v1/webhook/production', review);

  expect(named(await checksOf(world), 'cluster production: webhook')[0]?.message).toBe(
    'the last admission request came 1m ago, or later',
  );
});
