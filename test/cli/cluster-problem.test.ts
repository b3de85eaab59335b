import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { poolwright } from './collect.ts';

let folder = '';
let kubeconfig = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-stopped-'));
  kubeconfig = join(folder, 'kubeconfig');
  const config = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    // Nothing listens on port 1, and nobody may.
    clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'a', user: {} }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  vi.stubEnv('KUBECONFIG', '');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const commands = [['get', 'claims'], ['explain', 'first'], ['trace', 'first'], ['events']];

test.each(commands)('%s %s asks whether a cluster runs that does not answer', async (...args) => {
  const { code, err } = await poolwright(...args, '--kubeconfig', kubeconfig);

  expect(code).toBe(1);
  expect(err).toContain('Check that it is running, and check --kubeconfig');
});

test.each(commands)('%s %s names the host to be started where the cluster is simulated by it', async (...args) => {
  const home = mkdtempSync(join(folder, 'home-'));
  writeFileSync(join(home, 'cluster.db'), '');
  const its = join(home, 'kubeconfig');
  copyFileSync(kubeconfig, its);

  const { code, out, err } = await poolwright(...args, '--kubeconfig', its);

  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`poolwright start --data-dir ${home}`);
});
