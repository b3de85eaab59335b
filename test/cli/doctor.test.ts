import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { judgeClock } from '../../cli/commands/doctor/clocks.ts';
import { allLooks, type GroupedCheck } from '../../cli/commands/doctor/looks.ts';
import { report } from '../../cli/commands/doctor/report.ts';
import { judgeWebhook } from '../../cli/commands/doctor/webhook-looks.ts';
import type { Timers } from '../../shared/base/timers.ts';
import { customResourceDefinitions } from '../../shared/kube/contract.ts';
import { errors } from '../../shared/observe/errors/catalog.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { poolwright } from './collect.ts';
import { doctorWorld } from './doctor-world.ts';

interface Document {
  summary: { pass: number; warn: number; fail: number };
  checks: { group: string; name: string; state: string; message: string; code?: string; repair?: string }[];
}

async function doctor(...args: string[]) {
  const { code, out, err } = await poolwright('doctor', '--json', ...args);
  const document: Document = JSON.parse(out);
  return { code, err, ...document, named: (name: string) => document.checks.filter((check) => check.name === name) };
}

test('looks at everything, and what is in order passes', async () => {
  const world = await doctorWorld();

  const { checks, named, err } = await doctor(...world.args);

  expect(err).toBe('');
  expect([...new Set(checks.map(({ group }) => group))]).toEqual([
    'This machine',
    'The cluster of the kubeconfig',
    'The host',
    'Pools and node classes',
    'Providers',
  ]);
  for (const name of ['node', 'clock of the host', 'clock of the API server', 'API server', 'your rights', 'webhook'])
    expect(named(name)).toEqual([expect.objectContaining({ state: 'pass' })]);
  expect(named('token')).toEqual([expect.objectContaining({ state: 'pass' })]);
  expect(named('definition nodeclaims.karpenter.sh')).toEqual([expect.objectContaining({ state: 'pass' })]);
});

test('every code that a check names is in the catalog', async () => {
  const world = await doctorWorld();
  world.clock.advance(3_600_000);
  await world.send('PUT', '/v1/pauses/cluster/production', {});
  await world.api.delete(customResourceDefinitions, { name: 'nodeclaims.karpenter.sh' }, {});

  const { checks } = await doctor(...world.args);

  const codes = checks.flatMap(({ code }) => code ?? []);
  expect(codes.length).toBeGreaterThan(4);
  expect(Object.keys(errors)).toEqual(expect.arrayContaining(codes));
});

test('-o writes the document of --json, also as YAML', async () => {
  const world = await doctorWorld();

  const { out } = await poolwright('doctor', '-o', 'yaml', ...world.args);

  const { checks } = await doctor(...world.args);
  expect(parse(out).checks.map(({ name }: { name: string }) => name)).toEqual(checks.map(({ name }) => name));
});

test('a warning is no failure, unless somebody is strict', async () => {
  const world = await doctorWorld();

  const { code, summary } = await doctor(...world.args);
  expect(summary.warn).toBeGreaterThan(0);
  expect({ code, fail: summary.fail }).toEqual({ code: summary.fail > 0 ? 1 : 0, fail: summary.fail });

  expect((await doctor(...world.args, '--strict')).code).toBe(1);
});

test('a missing definition fails with the command that installs it', async () => {
  const world = await doctorWorld();
  await world.api.delete(customResourceDefinitions, { name: 'nodeclaims.karpenter.sh' }, {});

  const { code, named } = await doctor(...world.args);

  expect(code).toBe(1);
  expect(named('definition nodeclaims.karpenter.sh')).toEqual([
    expect.objectContaining({ state: 'fail', code: 'ClusterNotUsable', repair: 'poolwright crds install' }),
  ]);
});

test('without a host it still says what the cluster knows', async () => {
  const world = await doctorWorld();

  const { code, named } = await doctor('-d', join(world.directory, 'none'), '--kubeconfig', world.kubeconfig);

  expect(code).toBe(1);
  expect(named('host')).toEqual([expect.objectContaining({ state: 'fail', code: 'HostUnreachable' })]);
  expect(named('API server')).toEqual([expect.objectContaining({ state: 'pass' })]);
  expect(named('definition nodeclaims.karpenter.sh')).toEqual([expect.objectContaining({ state: 'pass' })]);
  expect(named('providers')[0]?.message).toMatch(/^not checked: No host has ever run/);
});

test('without a cluster it still says what the host knows', async () => {
  const world = await doctorWorld();

  const { code, named } = await doctor('-d', world.directory, '--kubeconfig', join(world.directory, 'nope'));

  expect(code).toBe(1);
  expect(named('API server')).toEqual([expect.objectContaining({ state: 'fail', code: 'NoClusterAccess' })]);
  expect(named('your rights')[0]).toMatchObject({ state: 'warn', message: expect.stringMatching(/^not checked: /) });
  expect(named('token')).toEqual([expect.objectContaining({ state: 'pass' })]);
  expect(named('queue events')).toEqual([expect.objectContaining({ state: 'pass' })]);
});

test('a wrong token fails, and the rest is still looked at', async () => {
  const world = await doctorWorld();
  writeFileSync(join(world.directory, 'token'), 'another-token-of-somebody\n');

  const { named } = await doctor(...world.args);

  expect(named('host')).toEqual([expect.objectContaining({ state: 'pass' })]);
  expect(named('token')).toEqual([expect.objectContaining({ state: 'fail', code: 'TokenWrong' })]);
});

test('a look that hangs or breaks hides none of the others', async () => {
  const atOnce: Timers = {
    after: (_, callback) => {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
  };
  const seen: string[] = [];

  const checks = await allLooks(
    [
      { group: 'a', name: 'hangs', look: () => new Promise(() => undefined) },
      { group: 'a', name: 'breaks', look: () => Promise.reject(new Error('no')) },
      { group: 'b', name: 'works', look: async () => [{ name: 'works', state: 'pass', message: 'yes' }] },
    ],
    { timers: atOnce, onProgress: (done, all) => seen.push(`${done}/${all}`) },
  );

  expect(checks.map(({ name, state, message }) => `${name} ${state} ${message}`)).toEqual([
    'hangs warn not checked: no answer within 10 seconds',
    'breaks warn not checked: no',
    'works pass yes',
  ]);
  expect(seen).toEqual(['0/3', '1/3', '2/3', '3/3']);
});

test.each([
  [10, 'pass'],
  [-60, 'warn'],
  [60, 'warn'],
  [400, 'fail'],
])('a clock that is off by %d seconds is a %s', (seconds, state) => {
  expect(judgeClock('clock', 'the host', 1_000_000 + seconds * 1000, 1_000_000).state).toBe(state);
});

test('a webhook that could hold people up, or whose certificate ends, is found; its secret is not shown', () => {
  const now = Date.UTC(2026, 0, 1);
  const url = 'https://poolwright.example/v1/webhook/production/hunter2hunter2hunter2';
  const { cert } = selfSigned('poolwright.example');
  const bundle = (text: string): string => Buffer.from(text).toString('base64');
  const judged = (webhook: Parameters<typeof judgeWebhook>[1], at = now) =>
    judgeWebhook('webhook w', webhook, at).map(({ name, state }) => `${state} ${name}`);

  expect(judged({ failurePolicy: 'Ignore', clientConfig: { url } })).toEqual(['pass webhook w']);
  expect(judged({ failurePolicy: 'Fail', clientConfig: { url } })).toEqual(['warn webhook w: policy']);
  expect(judged({ failurePolicy: 'Ignore', clientConfig: { url, caBundle: bundle('nonsense') } })).toEqual([
    'fail webhook w: caBundle',
  ]);
  expect(
    judged({ failurePolicy: 'Ignore', clientConfig: { url, caBundle: bundle(cert) } }, Date.UTC(2200, 0, 1)),
  ).toEqual(['fail webhook w: caBundle']);
  expect(JSON.stringify(judgeWebhook('w', { failurePolicy: 'Ignore', clientConfig: { url } }, now))).not.toContain(
    'hunter2',
  );
});

test('people read groups, states and what to do', async () => {
  const text = report(
    [
      { group: 'This machine', name: 'node', state: 'pass', message: 'Node 24.2.0' },
      {
        group: 'The host',
        name: 'cluster production: timer resync',
        state: 'fail',
        message: `it last ran 1h ago, although it runs every 1m: claims whose event was lost wait forever and ${'ever '.repeat(12)}.`,
        code: 'TimerLate',
        repair: 'look whether the host runs',
      },
      { group: 'The host', name: 'odd \u001b[2J name', state: 'warn', message: 'not checked: a\nb' },
    ],
    { color: false, columns: 80 },
  );

  await expect(text).toMatchFileSnapshot('__snapshots__/doctor-report.txt');
});

describe('what passed', () => {
  const ofCluster = (cluster: string): GroupedCheck[] => [
    { group: 'The host', name: `cluster ${cluster}: owner`, state: 'pass', message: 'deployment local acts' },
    { group: 'The host', name: `cluster ${cluster}: timer resync`, state: 'pass', message: 'it runs' },
    { group: 'The host', name: `cluster ${cluster}: timer expiration`, state: 'pass', message: 'it runs' },
    { group: 'The host', name: `cluster ${cluster}: timer ownership`, state: 'warn', message: 'it failed' },
  ];
  const lines = (clusters: string[], details = false): string[] =>
    report(clusters.flatMap(ofCluster), { color: false, details }).split('\n').slice(1, -3);

  test('is a line for the timers of a cluster, beside those that did not', () => {
    expect(lines(['a'])).toEqual([
      '  PASS  cluster a: owner: deployment local acts',
      '  PASS  cluster a: timers: 2 run as expected',
      '  WARN  cluster a: timer ownership: it failed',
    ]);
  });

  test('is a line for each cluster where there are many', () => {
    const found = lines(['a', 'b', 'c', 'd']);

    expect(found).toHaveLength(8);
    expect(found.slice(0, 2)).toEqual([
      '  PASS  cluster a: 3 other checks passed',
      '  WARN  cluster a: timer ownership: it failed',
    ]);
  });

  test('is told whole to whoever asks, and counted whole always', () => {
    expect(lines(['a', 'b', 'c', 'd'], true)).toHaveLength(16);
    expect(report(['a', 'b', 'c', 'd'].flatMap(ofCluster), { color: false })).toContain('4 warnings, 12 passed.');
  });
});
