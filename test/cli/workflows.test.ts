import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listingOf } from '../../cli/commands/workflows/list.ts';
import { renderWorkflow } from '../../cli/commands/workflows/show.ts';
import type { WorkflowHistory } from '../../cli/commands/workflows/workflow.ts';
import { type Format, formats, printListing } from '../../cli/terminal/output/formats.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { call, defineWorkflow, waitSignal } from '../../shared/workflow/vocabulary.ts';
import { kubeconfigFor, startClusterApi } from '../../sim/cluster/server.ts';
import { makeSqliteHarness, type SqliteHarness } from '../conformance/workflow/sqlite-harness.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 2, 4, 5, 6, second)).toISOString();
const now = Date.parse(at(50));

const running: WorkflowHistory = {
  id: 'production/u-1/launch/7',
  key: 'production/u-1/launch',
  epoch: 7,
  workflow: 'launch',
  version: 2,
  status: 'running',
  startedAt: at(0),
  waitingFor: `wait-signal look until ${at(170)}`,
  group: 'production',
  input: { cluster: 'production', name: 'web-1', uid: 'u-1' },
  history: [
    { step: 0, command: 'call choose', ok: true, value: { do: 'create', attempt: 1 }, at: at(1) },
    { step: 1, command: 'call beginCreate', ok: false, error: 'no \u001b[2J route', at: at(1) },
    { step: 2, command: 'poll pollCreate', ok: true, value: { text: 'größe '.repeat(60) }, at: at(40) },
    { step: 3, command: 'sleep', ok: true, at: at(45) },
  ],
  signals: ['look'],
};
const { waitingFor: _, ...over } = { ...running, signals: [], history: [] };

test.each<[string, WorkflowHistory]>([
  ['that runs', running],
  ['that has just begun', { ...over, waitingFor: 'call choose' }],
  ['that completed', { ...running, status: 'completed', endedAt: at(46), result: { end: 'ready' }, signals: [] }],
  ['that was set aside', { ...over, status: 'set-aside', endedAt: at(9), error: 'it killed the host 3 times' }],
])('a workflow %s is shown with its steps and what it waits for', async (name, shown) => {
  const text = renderWorkflow(shown, { now });

  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  await expect(text).toMatchFileSnapshot(`__snapshots__/workflows/show-${name.replaceAll(' ', '-')}.txt`);
});

test('a narrow terminal gets no longer lines', () => {
  const lines = renderWorkflow({ ...running, history: [] }, { now, columns: 70 }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(70);
});

test.each(formats)('a list as %s', async (format: Format) => {
  let said = '';
  const out = (text: string): void => {
    said += text;
  };
  const { history, input, group, signals, ...info } = running;
  const named = { ...info, claim: 'web-1' };
  const failed = { ...info, id: 'production/u-2/launch/1', status: 'failed' as const, endedAt: at(9), error: 'boom' };

  await printListing(listingOf([named, failed], now), format, plainTerminal({ out, err: () => undefined }));

  await expect(said).toMatchFileSnapshot(`__snapshots__/workflows/list-${format}.txt`);
});

let server: Awaited<ReturnType<typeof startClusterApi>>;
let api: ClusterApi;
let uid = '';
let harness: SqliteHarness;
let world: HostWorld;

const waiting = defineWorkflow({
  name: 'launch',
  version: 1,
  *run(input: { name: string }) {
    yield* call('greet', input);
    return yield* waitSignal('look', 3600);
  },
});

beforeEach(async () => {
  server = await startClusterApi({ file: ':memory:', port: 0 });
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 10_000, fieldManager: 'test' };
  api = connectCluster({ name: 'production', url: server.url, ...common });
  const created = await api.create(nodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'web-1' },
    spec: { nodeClassRef: { group: 'x.dev', kind: 'XClass', name: 'default' }, requirements: [] },
  });
  if (!created.ok) throw new Error(created.error.message);
  uid = created.value.metadata.uid;
  harness = await makeSqliteHarness({ workflows: [waiting], activities: { greet: async () => 'hello' } });
  await harness.engine.ensure({
    workflow: waiting,
    key: `production/${uid}/launch`,
    input: { name: 'web-1' },
    group: 'production',
  });
  await harness.settle();
  const identity = async () => ({ ok: true, value: server.kubeSystemUid }) as const;
  world = await hostWorld({ api, workflows: harness.engine, client: harness.engine, cluster: { identity } });
});
afterEach(async () => {
  await world.close();
  await harness.close();
  api.close();
  await server.close();
});

test('a bare workflows lists what the host has, by status and by cluster', async () => {
  const { run } = world;

  expect((await run('workflows', '-o', 'name')).out).toBe(`workflow/production/${uid}/launch/1\n`);
  expect((await run('workflows', '--status', 'failed')).err).toBe('No workflows.\n');
  expect((await run('workflows', '--cluster', 'production', '-o', 'name')).out).toContain(uid);
  const unknown = await run('workflows', 'list', '--cluster', 'producton');
  expect(unknown).toMatchObject({ code: 2, out: '', err: expect.stringContaining('did you mean "production"?') });
  expect((await run('workflows', '--status', 'broken')).code).toBe(2);
});

test.each([
  ['the bare name of its claim', 'web-1'],
  ['its claim', 'claim/web-1'],
  ['its claim as kubectl writes it', 'nodeclaim.karpenter.sh/web-1'],
])('get selects by %s, which the cluster knows', async (_name, name) => {
  writeFileSync(join(world.directory, 'kubeconfig'), kubeconfigFor(server.url));
  await harness.engine.ensure({ workflow: waiting, key: 'production/u-2/launch', input: { name: 'x' }, group: 'x' });

  const { code, out, err } = await world.run('get', 'workflows', name);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(new RegExp(`^ID +CLAIM .*\\nproduction/${uid}/launch/1 +web-1 +running .*\\n$`));
  const [, , other = ''] = (await world.run('workflows')).out.split('\n');
  expect(other).toMatch(/^production\/u-2\/launch\/1 +- +running/);
  const misspelled = await world.run('get', 'workflows', name.replace('web', 'wbe'));
  expect(misspelled).toMatchObject({ code: 1, out: '', err: expect.stringContaining('did you mean "web-1"?') });
});

test('without a cluster workflows have no names of claims, and it is said why', async () => {
  const { code, out, err } = await world.run('get', 'workflows');

  expect(code).toBe(0);
  expect(out).toContain(`production/${uid}/launch/1   -       running`);
  expect(err).toMatch(/^Claim names are unavailable: .*kubeconfig.*\n$/);
});

test.each([
  ['its id', () => [`production/${uid}/launch/1`]],
  ['its id with the kind', () => [`workflow/production/${uid}/launch/1`]],
  ['its claim', () => ['claim/web-1', '--cluster', 'production']],
  ['the bare name of its claim', () => ['web-1', '--cluster', 'production']],
  ['the uid of a claim that is gone', () => ['claim/gone', '--cluster', 'production', '--uid', uid]],
])('one is found by %s', async (_name, args) => {
  const { code, out } = await world.run('workflows', 'show', ...args());

  expect(code).toBe(0);
  expect(out).toContain(`WORKFLOW  production/${uid}/launch/1\n`);
  expect(out).toMatch(/^0 +call greet +2026-01-01T00:00:00Z +0ms +ok "hello"$/m);
  expect(out).toContain('WAITS     for wait-signal look until 2026-01-01T01:00:00.000Z');
});

test('it is also had as a document', async () => {
  const { out } = await world.run('workflows', 'show', `production/${uid}/launch/1`, '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({ status: 'running', history: [{ command: 'call greet' }] });
});

test.each([
  ['an unknown id', ['production/x/launch/1'], 'There is no workflow with this id'],
  ['an unknown claim', ['claim/web-2', '--cluster', 'production'], 'has no NodeClaim web-2'],
  [
    'a claim without a workflow',
    ['claim/x', '--cluster', 'production', '--uid', 'u'],
    'There is no record of a workflow for claim x',
  ],
  ['a claim in one of several clusters', ['claim/web-1'], '--cluster production or --cluster staging'],
  ['something else', ['node/a'], 'Unknown kind "node"'],
])('%s is told', async (_name, args, message) => {
  const { code, out, err } = await world.run('workflows', 'show', ...args);

  expect(code).toBeGreaterThan(0);
  expect(out).toBe('');
  expect(err).toContain(message);
});

test('the kubeconfig says which cluster is meant, and what a claim is called that is misspelled', async () => {
  writeFileSync(join(world.directory, 'kubeconfig'), kubeconfigFor(server.url));

  expect((await world.run('workflows', 'show', 'claim/web-1')).out).toContain(`production/${uid}/launch/1`);
  const misspelled = await world.run('workflows', 'restart', 'claim/wbe-1', '--yes');

  expect(misspelled).toEqual({
    code: 1,
    out: '',
    err: 'Cluster production has no NodeClaim wbe-1; did you mean "web-1"?\nMore: poolwright errors UnknownClaim\n',
  });
  const elsewhere = await world.run('workflows', 'show', 'claim/wbe-1', '--cluster', 'staging');
  expect(elsewhere.err).not.toContain('did you mean');
});

test('one that runs is replaced only by force, and only after a yes', async () => {
  const { run, runAnswering } = world;
  const claim = ['claim/web-1', '--cluster', 'production'];

  const refused = await run('workflows', 'restart', ...claim, '--yes');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`production/${uid}/launch/1 is running, waiting for wait-signal look`);
  const change = `Restart production/${uid}/launch/1 of claim/web-1, replacing the running one`;
  expect(await run('workflows', 'restart', ...claim, '--force', '--dry-run')).toEqual({
    code: 0,
    out: '',
    err: `${change}: not done, because of --dry-run.\n`,
  });
  expect(await runAnswering('no', 'workflows', 'restart', ...claim, '--force')).toMatchObject({
    code: 3,
    questions: [`${change}? [y/N] `],
  });
  expect(await harness.engine.latest(`production/${uid}/launch`)).toMatchObject({ epoch: 1, status: 'running' });
  expect(await runAnswering('y', 'workflows', 'restart', ...claim, '--force')).toMatchObject({
    code: 0,
    out: `It is running as production/${uid}/launch/2.\n`,
  });
  expect(await harness.engine.latest(`production/${uid}/launch`)).toMatchObject({ epoch: 2, status: 'running' });
});

test('one that is over begins once more', async () => {
  await harness.runUntilIdle();

  const { code, out } = await world.run('workflows', 'restart', `production/${uid}/launch/1`, '-y', '--json');

  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ id: `production/${uid}/launch/2`, epoch: 2 });
});
