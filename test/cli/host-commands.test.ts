/** Commands against a stand-in for the host: what they ask for, and what they make of the answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rememberUrl } from '../../cli/reach/remembered-host.ts';
import { poolwright } from './collect.ts';

const token = 'a-token-of-sixteen-letters';
let directory = '';
let server: Server;
let answers: Record<string, { status: number; body: object }> = {};
let asked: { line: string; authorization: string | undefined; body: string }[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-host-'));
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const line = `${request.method} ${request.url}`;
    asked.push({ line, authorization: request.headers.authorization, body });
    const { status, body: answer } = answers[line] ?? { status: 500, body: { detail: `nobody expected ${line}` } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  rememberUrl(directory, `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  writeFileSync(join(directory, 'token'), `${token}\n`);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  answers = {};
  asked = [];
});

const run = (...args: string[]) => poolwright(...args, '-d', directory);

test('a refusal is shown in the words of the host, with the fix for its code', async () => {
  const detail = 'cluster "sm" is not in the configuration; did you mean "sim"?';
  const body = { type: 'urn:poolwright:problem:unknown-cluster', detail };
  answers = {
    'GET /v1/pauses': { status: 200, body: { items: [] } },
    'PUT /v1/pauses/cluster/sm': { status: 404, body },
  };

  const refused = await run('pause', 'cluster', 'sm', '--yes');
  expect(refused).toMatchObject({ code: 1, out: '' });
  const [first, fix, more] = refused.err.split('\n');
  expect([first, more]).toEqual([detail, 'More: poolwright errors UnknownCluster']);
  expect(fix).toMatch(/^List the clusters with /);
});

test('a claim that is not there is told apart, with the way to ask about one that is gone', async () => {
  const body = { type: 'urn:poolwright:problem:unknown-claim', detail: 'no such claim' };
  answers = {
    'GET /v1/clusters': { status: 200, body: { items: [{ name: 'production', acts: true }] } },
    'GET /v1/claims/production/web/explain': { status: 404, body },
    'GET /v1/claims/production/web/decisions': { status: 404, body },
  };

  // The only cluster need not be named.
  const { code, err } = await run('explain', 'web');

  expect(code).toBe(1);
  expect(err).toContain('Cluster production has no NodeClaim web');
  expect(err).toContain('--uid');
});

test('where the host serves several clusters, which one is meant has to be said', async () => {
  const items = ['east', 'west'].map((name) => ({ name, acts: true }));
  answers = { 'GET /v1/clusters': { status: 200, body: { items } } };

  const { code, err } = await run('explain', 'web');

  expect(code).toBe(2);
  expect(err).toContain('--cluster east or --cluster west');
});

test('a claim that is gone is asked for by its uid, because another one may have its name', async () => {
  const workflows = [
    {
      id: 'east/u-1/terminate/3',
      workflow: 'terminate',
      status: 'running',
      startedAt: '2026-03-04T05:06:07.000Z',
      waitingFor: 'call finish',
    },
  ];
  const standing = { acts: false, reason: 'NotOwner', why: 'deployment other acts there' };
  // As a host answers that is older than the command.
  const unknownPath = { type: 'urn:poolwright:problem:unknown-path', detail: 'There is nothing at this path.' };
  answers = {
    'GET /v1/claims/east/web/explain?uid=u-1': { status: 404, body: unknownPath },
    'GET /v1/claims/east/web/decisions?uid=u-1': {
      status: 200,
      body: {
        cluster: 'east',
        name: 'web',
        uid: 'u-1',
        decisions: [],
        now: '2026-03-04T05:06:08.000Z',
        standing,
        pauses: [],
        workflows,
      },
    },
    'GET /v1/clusters': { status: 200, body: { items: ['west', 'east'].map((name) => ({ name, acts: true })) } },
  };

  const { code, out } = await run('explain', 'web', '--cluster', 'east', '--uid', 'u-1', '--json');

  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ uid: 'u-1', workflows, standing, pauses: [] });
});

test('a host elsewhere is named by its URL and a file with its token', async () => {
  answers = { 'GET /v1/clusters': { status: 200, body: { items: [{ name: 'east', acts: true }] } } };
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  const { code, out } = await poolwright('clusters', '--url', url, '--token-file', join(directory, 'token'));

  expect({ code, out }).toEqual({ code: 0, out: 'east  this deployment acts\n' });
  expect(asked[0]?.authorization).toBe(`Bearer ${token}`);
});

test.each<[string, string[], RegExp]>([
  ['no URL', ['--url', 'app.example', '--token-file', 'token'], /--url must be the https:\/\/ URL of a host/],
  ['plain HTTP', ['--url', 'http://app.example', '--token-file', 'token'], /must be https:\/\/, because the token/],
  ['no token', ['--url', 'https://app.example'], /--url needs --token-file/],
  [
    'a missing file',
    ['--url', 'https://app.example', '--token-file', '/no/such'],
    /\/no\/such cannot be read \(ENOENT\)/,
  ],
  ['a token for nobody', ['--token-file', 'token'], /--token-file needs --url/],
])('a host elsewhere that is named by %s is refused', async (_, args, expected) => {
  const { code, err } = await poolwright('clusters', ...args);

  expect(code).not.toBe(0);
  expect(err).toMatch(expected);
  expect(asked).toEqual([]);
});
