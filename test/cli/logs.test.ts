import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LogsOptions, logs } from '../../cli/commands/logs/run.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { logsInCloudWatch } from '../../functions/hosts/aws/logs-elsewhere.ts';
import { type KeptLog, keepLog } from '../../functions/hosts/local/kept-log.ts';
import { manualClock, systemClock } from '../../shared/base/runtime.ts';
import { createLog, type Log } from '../../shared/observe/log/log.ts';
import { type ClusterWorld, clusterWorld } from './cluster-world.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

let directory = '';
let kept: KeptLog;
let log: Log;
let world: HostWorld;
let clock: ReturnType<typeof manualClock>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-logs-'));
  clock = manualClock();
  kept = keepLog({ directory: join(directory, 'log'), clock });
  log = createLog({ level: 'debug', pretty: false, sink: () => undefined, keep: kept.write, clock });
  world = await hostWorld({ logs: kept });
});
afterEach(async () => {
  await world.close();
  kept.close();
  rmSync(directory, { recursive: true, force: true });
});

const about = (claim: string, uid: string): Log => log.child({ cluster: 'production', claim, uid });

test('the lines of a claim are shown for people, harmless, with the day on the side', async () => {
  about('web-1', 'u-1').write('claim.launching', { offering: 'small in zone-a', text: 'a \u001b[2J b' });
  about('web-2', 'u-2').write('claim.ready');
  clock.advance(86_400_000);
  log.write('step.failed', { workflow: 'production/u-1/launch/7', error: new Error('no route') });

  const { code, out, err } = await world.run('logs', '--claim', 'claim/web-1');

  expect(code).toBe(0);
  expect(err).toBe('2026-01-01 (UTC)\n2026-01-02 (UTC)\n');
  await expect(out.replace(/^ {4}.*\n/gm, '')).toMatchFileSnapshot('__snapshots__/logs/claim.txt');
});

test('they come as lines of JSON too, which hold all that is kept', async () => {
  about('web-1', 'u-1').write('claim.ready', { seconds: 41 });

  const { out } = await world.run('logs', '-o', 'json');

  expect(JSON.parse(out)).toMatchObject({ event: 'claim.ready', claim: 'web-1', uid: 'u-1', seconds: 41 });
});

test.each([
  ['level', ['--level', 'warn'], ['claim.failed']],
  ['cluster', ['--cluster', 'production'], ['claim.launching', 'claim.failed']],
  ['uid', ['--uid', 'u-2'], ['claim.failed']],
  ['workflow', ['--workflow', 'workflow/production/u-1/launch/7'], ['workflow.started']],
  ['number', ['--tail', '1'], ['workflow.started']],
])('they are chosen by %s', async (_name, args, events) => {
  about('web-1', 'u-1').write('claim.launching');
  about('web-2', 'u-2').write('claim.failed');
  log.write('workflow.started', { workflow: 'production/u-1/launch/7' });

  const { out } = await world.run('logs', '-o', 'json', ...args);

  const lines = out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(events);
});

test('what is older than asked for is left out', async () => {
  log.write('host.started');
  clock.advance(systemClock.now() - clock.now());
  log.write('host.stopping');

  const { out } = await world.run('logs', '--since', '1h30m', '-o', 'json');

  expect(out.trim().split('\n')).toEqual([expect.stringContaining('host.stopping')]);
});

test('that nothing fits is said on the side', async () => {
  expect(await world.run('logs', '--claim', 'nobody')).toEqual({
    code: 0,
    out: '',
    err: 'No matching lines. Old lines are removed, and lines below log.level are never written.\n',
  });
});

describe('with a cluster at hand', () => {
  let cluster: ClusterWorld;
  beforeEach(async () => {
    cluster = await clusterWorld();
    await cluster.claim('first');
    copyFileSync(cluster.kubeconfig, join(world.directory, 'kubeconfig'));
  });
  afterEach(() => cluster.close());

  test('a claim that is not there is told what is near', async () => {
    const { code, err } = await world.run('logs', '--claim', 'nodeclaim/frist');

    expect(code).toBe(0);
    expect(err).toMatch(/ never written\. There is no NodeClaim "frist" now; did you mean "first"\?\n$/);
    expect((await world.run('logs', '--claim', 'first')).err).toMatch(/ never written\.\n$/);
  });

  test('a context that is named is a cluster of the host, or none', async () => {
    about('web-1', 'u-1').write('claim.ready');

    expect((await world.run('logs')).out).toContain('web-1');
    const named = await world.run('logs', '--kubeconfig', cluster.kubeconfig);

    expect(named).toMatchObject({ code: 1, out: '' });
    expect(named.err).toContain("The host does not serve the kubeconfig's cluster");
  });
});

test('they are followed until somebody has seen enough, also when the host is away for a while', async () => {
  const aborting = new AbortController();
  let out = '';
  let err = '';
  const terminal = plainTerminal(
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    },
    { signal: aborting.signal },
  );
  about('web-1', 'u-1').write('claim.launching');
  const options: LogsOptions = {
    dataDir: world.directory,
    claim: 'web-1',
    level: 'debug',
    tail: 10,
    follow: true,
    output: 'json',
  };
  const rounds = [
    // The line knows the uid alone: what was learned before must not be forgotten.
    () => log.write('workflow.ended', { uid: 'u-1' }),
    () => about('web-2', 'u-2').write('claim.ready'),
    () => about('web-1', 'u-1').write('claim.ready'),
    () => world.close(),
    () => undefined,
    () => aborting.abort(),
  ];
  const timers = {
    after: (_milliseconds: number, callback: () => void) => {
      void Promise.resolve(rounds.shift()?.()).then(callback);
      return () => undefined;
    },
  };

  const code = await logs(options, terminal, timers);

  expect(code).toBe(130);
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event),
  ).toEqual(['claim.launching', 'workflow.ended', 'claim.ready']);
  expect(err.match(/Waiting for the host\./g)).toHaveLength(1);
});

test('of a host whose platform keeps the log, the command is told that asks there', async () => {
  const env = { AWS_REGION: 'eu-west-1', AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/poolwright-main-http' };
  const elsewhere = await hostWorld({ logs: logsInCloudWatch(env, clock) });
  try {
    const { code, out, err } = await elsewhere.run('logs', '--claim', 'web-1');

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('The log of this host is in CloudWatch. Query it with:\n');
    expect(err).toContain(`--filter-pattern '{ ($.claim = "web-1") }'`);
  } finally {
    await elsewhere.close();
  }
});

test('of a host that keeps none it is said where to look', async () => {
  const other = await hostWorld();
  try {
    const { code, err } = await other.run('logs');

    expect(code).toBe(1);
    expect(err).toContain('Look where its standard output goes');
  } finally {
    await other.close();
  }
});

test.each([
  ['a duration that is none', ['--since', 'soon'], 2, '90s, 15m, 1h30m or 2d'],
  ['too many lines', ['--tail', '1001'], 2, 'from 1 to 1000'],
  ['another level', ['--level', 'loud'], 2, 'Allowed choices are debug'],
  ['a claim that no cluster could have', ['--claim', "x'; rm -rf /"], 1, 'In the query: claim'],
  ['a uid that is none', ['--uid', 'a b'], 1, 'In the query: uid'],
  ['a workflow that is none', ['--workflow', 'a//b'], 1, 'In the query: workflow'],
])('%s is refused', async (_name, args, code, message) => {
  const said = await world.run('logs', ...args);

  expect(said).toMatchObject({ code, out: '' });
  expect(said.err).toContain(message);
});
