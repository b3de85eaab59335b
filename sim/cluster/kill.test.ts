/** Whatever was answered survives kill -9. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestClient } from '../../test/conformance/cluster/api/client.ts';
import { aClaim, claims } from '../../test/conformance/cluster/api/objects.ts';
import { startClusterApi } from './server.ts';

const program = `
  const { startClusterApi } = await import(${JSON.stringify(new URL('./server.ts', import.meta.url).href)});
  const api = await startClusterApi({ file: process.argv[1], port: 0 });
  process.stdout.write(api.url + '\\n');
`;

function startProcess(file: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve({ child, url: chunk.toString().trim() }));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended early with ${code}`)));
  });
}

test('nothing that was answered is lost by a kill in the middle of writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-kill-'));
  const file = join(folder, 'cluster.db');
  const { child, url } = await startProcess(file);
  const client = new TestClient({ url, close: async () => {} });
  const answered: string[] = [];
  const seen: string[] = [];
  let next = 0;
  const watch = await client.watch(`${claims}?watch=true&resourceVersion=0`);
  const watching = (async () => {
    for (let event = await watch.next(); event; event = await watch.next()) seen.push(event.object.metadata.name);
  })().catch(() => {});
  const writers = Array.from({ length: 8 }, async () => {
    while (child.exitCode === null && child.signalCode === null) {
      const name = `c-${next++}`;
      const { code } = await client.post(claims, aClaim(name));
      if (code === 201) answered.push(name);
      if (answered.length === 200) child.kill('SIGKILL');
    }
  });
  await Promise.allSettled(writers);
  await watching;

  const api = await startClusterApi({ file, port: 0 });
  const { items } = await api.store.list({ apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' });
  await api.close();
  rmSync(folder, { recursive: true, force: true });
  const kept = new Set(items.map((item) => item.metadata.name));
  expect(answered.length).toBeGreaterThanOrEqual(200);
  expect(seen.length).toBeGreaterThan(0);
  expect([...answered, ...seen].filter((name) => !kept.has(name))).toEqual([]);
});
