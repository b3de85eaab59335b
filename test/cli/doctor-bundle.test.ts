import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScrubber } from '../../cli/commands/doctor/scrub.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { token } from '../http/world.ts';
import { poolwright } from './collect.ts';
import { doctorWorld } from './doctor-world.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-bundle-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const simNodeClasses = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.c2lnbmF0dXJlLWh1bnRlcjI';
const privateKey = '-----BEGIN PRIVATE KEY-----\nhunter2MIIEvQIBADANBg\n-----END PRIVATE KEY-----';

test('holds what a bug report needs, and no secret wherever one stood', async () => {
  const world = await doctorWorld();
  const config = join(folder, 'poolwright.yaml');
  writeFileSync(
    config,
    `clusters:
  east:
    server: https://user:hunter2-in-url@example.org
    token: hunter2-config-token
    intake: { tokens: [hunter2-intake-token-1] }
`,
  );
  writeFileSync(
    world.kubeconfig,
    readFileSync(world.kubeconfig, 'utf8').replace(/^(\s*)user: \{\}$/m, '$1user: { token: hunter2-kubeconfig }'),
  );
  vi.stubEnv('POOLWRIGHT_CONFIG', config);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hunter2/cloud+key');
  await world.api.create(nodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: 'web-1',
      annotations: {
        'example.com/env': 'A=1 DB_PASSWORD=hunter2-env OTHER=2',
        'example.com/json': '{"user":"me","password":"hunter2-json","nested":[{"apiKey":"hunter2-nested"}]}',
        'example.com/token': 'hunter2-token-annotation',
        'example.com/header': 'Authorization: Bearer hunter2-bearer',
        'example.com/cloud': 'the key is hunter2/cloud+key',
        'example.com/pem': privateKey,
        'kubectl.kubernetes.io/last-applied-configuration': '{"spec":"hunter2-applied"}',
      },
    },
    spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
  });
  await world.api.create(simNodeClasses, {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'SimNodeClass',
    metadata: { name: 'default' },
    spec: { userData: 'echo hunter2-user-data' },
  });
  await world.queue.send([
    JSON.stringify({ token: 'hunter2-in-body', data: { name: 'web-1', note: `jwt ${jwt}` } }),
    `no JSON, password: hunter2-in-text ${jwt}`,
  ]);
  for (const message of await world.queue.receive(10)) {
    await world.queue.deadLetter(
      message,
      'refused: https://me:hunter2-url@host/v1/webhook/east/hunter2-path?sig=hunter2-sig said Basic aHVudGVyMjpodW50ZXIy',
    );
  }
  await world.send('PUT', '/v1/pauses/cluster/production', { why: `my token is ${token}` });
  const file = join(folder, 'out.tgz');

  const { code, out, err } = await poolwright('doctor', 'bundle', ...world.args, '-f', file);

  expect({ code, out }).toEqual({ code: 0, out: `${file}\n` });
  expect(err).toContain('review it before you send it');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n');
  expect(names).toEqual(
    expect.arrayContaining(
      ['README.md', 'doctor.json', 'configuration.json', 'host/dead-letters.json', 'cluster/nodeclaims.json'].map(
        (name) => `poolwright-bundle/${name}`,
      ),
    ),
  );
  const all = execFileSync('tar', ['xzOf', file], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  expect(all).toContain('web-1');
  expect(all.split('\n').filter((line) => /hunter2|eyJhbGci|aHVudGVyMjpo/.test(line))).toEqual([]);
  expect(all).not.toContain(token);
});

test('without host and cluster it is made all the same, and says what is missing', async () => {
  const file = join(folder, 'out.tgz');

  const { code, err } = await poolwright(
    'doctor',
    'bundle',
    '-d',
    folder,
    '--kubeconfig',
    join(folder, 'no'),
    '-f',
    file,
  );

  expect(code).toBe(0);
  expect(err).toContain('not in it: host/clusters.json (No host has ever run');
  expect(execFileSync('tar', ['xzOf', file, 'poolwright-bundle/README.md'], { encoding: 'utf8' })).toContain(
    '## What could not be read',
  );
});

test('replaces no file', async () => {
  const file = join(folder, 'mine.tgz');
  writeFileSync(file, 'mine');

  const { code, err } = await poolwright('doctor', 'bundle', '-d', folder, '-f', file);

  expect(code).toBe(3);
  expect(err).toContain('already exists');
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(existsSync(`${file}.partial`)).toBe(false);
});

test('a folder that is not there is named, and no fault of the program', async () => {
  const file = join(folder, 'none', 'out.tgz');

  const { code, err } = await poolwright(
    ...['doctor', 'bundle', '-d', folder, '--kubeconfig', join(folder, 'no'), '-f', file],
  );

  expect(code).toBe(1);
  expect(err).toContain(`${file} cannot be written (ENOENT).\n`);
  expect(err).toContain('More: poolwright errors FileUnwritable');
});

test('a secret behind an option is taken out', () => {
  const { text } = createScrubber([]);

  expect(text('kubeadm join 10.0.0.1:6443 --token hunter2 --node-name web-1')).toBe(
    'kubeadm join 10.0.0.1:6443 --token [redacted] --node-name web-1',
  );
  expect(text("mysql --password 'hunter2' --token-file /run/token")).toBe(
    "mysql --password '[redacted]' --token-file /run/token",
  );
});

test('what is no secret stays readable', () => {
  const { value } = createScrubber([]);
  const kept = {
    spec: { requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }] },
    message: 'may not patch nodeclaims.karpenter.sh/status (writes conditions, node and capacity)',
    url: 'https://example.org/path?limit=1',
    tokenFile: '/var/run/token',
    at: '2026-01-01T00:00:00Z',
    count: 3,
  };

  expect(value(kept)).toEqual(kept);
});

test('the environment of a container is looked through by name', () => {
  const { value } = createScrubber([]);

  expect(
    value({
      env: [
        { name: 'DB_PASSWORD', value: 'x' },
        { name: 'PORT', value: '1' },
      ],
    }),
  ).toEqual({
    env: [
      { name: 'DB_PASSWORD', value: '[redacted]' },
      { name: 'PORT', value: '1' },
    ],
  });
});
