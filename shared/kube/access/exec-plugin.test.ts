import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { silentLog } from '../../observe/log/log.ts';
import { connectCluster } from '../client/http.ts';
import { nodes } from '../contract.ts';
import type { ExecPlugin } from './access.ts';
import { runExecPlugin } from './exec-plugin.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-exec-'));
});

const apiVersion = 'client.authentication.k8s.io/v1';
let count = 0;

/** A command in a file of its own; it runs where this test runs. */
function command(script: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  const file = join(folder, `plugin-${++count}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { apiVersion, command: file, args: [], env: {}, ...more };
}

const credential = (status: object): string => JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
const run = (plugin: ExecPlugin, timeoutMs = 60_000) => runExecPlugin(plugin, { env: process.env, timeoutMs });

describe('a command that gets credentials', () => {
  it('is given its arguments, its environment and what it wants to know of the cluster', async () => {
    const plugin = command(
      `printf '%s\\n%s\\n%s' "$1" "$KEY" "$KUBERNETES_EXEC_INFO" > ${folder}/seen; echo '${credential({ token: 't' })}'`,
      {
        args: ['one'],
        env: { KEY: 'value' },
        cluster: { server: 'https://h' },
      },
    );
    expect(await run(plugin)).toEqual({ ok: true, value: { token: 't' } });
    const [argument, key, info] = readFileSync(join(folder, 'seen'), 'utf8').split('\n');
    expect([argument, key]).toEqual(['one', 'value']);
    expect(JSON.parse(info ?? '')).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://h' } },
    });
  });

  it('may give a certificate, and say until when', async () => {
    const status = { clientCertificateData: 'c', clientKeyData: 'k', expirationTimestamp: '2026-01-01T01:00:00Z' };
    expect(await run(command(`echo '${credential(status)}'`))).toEqual({
      ok: true,
      value: { cert: 'c', key: 'k', expiresAt: Date.UTC(2026, 0, 1, 1) },
    });
  });

  it.each<[string, string, RegExp]>([
    [
      'fails',
      'echo "no login for hunter2, token abcdefghij0123456789klmn" >&2; exit 3',
      /failed with 3: no login for \[redacted\], token \[redacted\]$/,
    ],
    [
      'fails and quotes a short secret',
      'echo "sign in: --client-secret=ab1 --password=\\"c d\\", passphrase: ef2" >&2; exit 3',
      /: sign in: --client-secret=\[redacted\] --password=\[redacted\], passphrase: \[redacted\]$/,
    ],
    ['prints no JSON', 'echo hunter2', /invalid JSON/],
    ['prints another kind', `echo '{"kind":"Other","token":"hunter2"}'`, /must print an ExecCredential of client/],
    [
      'prints another version',
      `echo '${credential({ token: 'hunter2' }).replace('/v1', '/v1beta1')}'`,
      /must print an ExecCredential/,
    ],
    ['prints nothing to use', `echo '${credential({})}'`, /neither a token nor a client certificate/],
    ['prints half a pair', `echo '${credential({ clientKeyData: 'hunter2', token: 't' })}'`, /without the other/],
    ['prints without end', 'exec yes hunter2', /printed more than/],
  ])('that %s is said to, without what it printed', async (_name, script, expected) => {
    const result = await run(command(script, { env: { SECRET: 'hunter2' } }));
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringMatching(expected) } });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('that is not there is named, with the hint of how to get it', async () => {
    const plugin = {
      apiVersion,
      command: 'no-such-login',
      args: [],
      env: {},
      installHint: 'Get it from example.org.',
    } as const;
    expect(await run({ ...plugin, args: [] })).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/no-such-login.* is not installed.*Get it from example\.org\.$/) },
    });
  });

  it('that hangs is ended, with what it has started', async () => {
    const pidFile = join(folder, 'child-pid');
    const hanging = command(`sleep 300 & echo $! > ${pidFile}; wait`);
    const written = (): string => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '');
    // It must have begun before its time is over, which can take long where much else runs.
    for (let timeoutMs = 500; written() === ''; timeoutMs *= 2) {
      expect(await run(hanging, timeoutMs)).toMatchObject({
        ok: false,
        error: { kind: 'unavailable', message: expect.stringContaining('did not finish within') },
      });
    }
    const pid = Number(written());
    // Whoever has ended and was not yet waited for by init still answers to signals, but does nothing any more.
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** A server that lets in only the newest token that the command has handed out. */
async function guarded(options: { expires?: () => string | undefined; plugin?: ExecPlugin } = {}) {
  const state = { valid: 1, refused: 0 };
  const counter = join(folder, `count-${++count}`);
  const server = http.createServer((request, response) => {
    if (request.headers.authorization !== `Bearer token-${state.valid}`) {
      state.refused += 1;
      response.writeHead(401).end(JSON.stringify({ kind: 'Status', message: 'Unauthorized' }));
    } else if (request.url?.includes('watch=') === true) response.end();
    else response.end(JSON.stringify({ kind: 'Node', metadata: { name: 'n', uid: 'u', resourceVersion: '1' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const expires = options.expires?.();
  const status = expires === undefined ? '' : `,"expirationTimestamp":"${expires}"`;
  const plugin =
    options.plugin ??
    command(`printf x >> ${counter}; n=$(wc -c < ${counter} | tr -d ' ')
echo '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":{"token":"token-'$n'"${status}}}'`);
  const clock = manualClock();
  const api = connectCluster({
    name: 'guarded',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exec: plugin,
    clock,
    log: silentLog,
    requestTimeoutMs: 60_000,
    fieldManager: 'test',
  });
  onTestFinished(() => {
    api.close();
    server.close();
    server.closeAllConnections();
  });
  const runs = (): number => (existsSync(counter) ? readFileSync(counter, 'utf8').length : 0);
  return { api, state, clock, runs };
}

describe('a client with such a command', () => {
  it('runs it once for all who ask at the same time, and keeps what it gave', async () => {
    const { api, runs } = await guarded();
    const answers = await Promise.all([1, 2, 3].map(() => api.get(nodes, { name: 'n' })));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    expect(await api.watch(nodes, { resourceVersion: '1' }, () => undefined, new AbortController().signal)).toEqual({
      end: 'closed',
    });
    expect(runs()).toBe(1);
  });

  it('runs it again when the server refuses what it gave, once for all who were refused', async () => {
    const { api, state, clock, runs } = await guarded();
    await api.get(nodes, { name: 'n' });
    state.valid = 2;
    clock.advance(60_000);
    const answers = await Promise.all([1, 2, 3].map(() => api.get(nodes, { name: 'n' })));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(runs()).toBe(2);
  });

  it('does not start process after process for a server that refuses everybody', async () => {
    const { api, state, runs } = await guarded();
    state.valid = 99;
    for (let ask = 0; ask < 5; ask += 1) {
      expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
    }
    expect(runs()).toBe(1);
  });

  it('runs it again when its time is over', async () => {
    const { api, state, clock, runs } = await guarded({ expires: () => '2026-01-01T01:00:00Z' });
    await api.get(nodes, { name: 'n' });
    clock.advance(3_590_000);
    state.valid = 1;
    // Ten seconds are left: it is renewed behind the scenes, and nobody waits.
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({ ok: true });
    await expect.poll(runs).toBe(2);
    expect(state.refused).toBe(0);
  });

  it('says why there are no credentials, and does not ask the server as nobody', async () => {
    const { api, state } = await guarded({ plugin: command('echo "please log in" >&2; exit 1') });
    expect(await api.get(nodes, { name: 'n' })).toMatchObject({
      ok: false,
      error: { kind: 'unauthorised', message: expect.stringContaining('please log in') },
    });
    expect(state.refused).toBe(0);
  });
});
