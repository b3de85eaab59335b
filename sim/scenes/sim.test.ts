import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StorageError } from '../../shared/platforms/sqlite/sqlite.ts';
import { startWorld } from './sim.ts';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function takePort(port: number): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

test('a world whose ports were taken meanwhile starts on others, with its data', async () => {
  const directory = folder();
  const first = await startWorld({ directory });
  const { kubeSystemUid, port } = first.cluster;
  const cloudPort = first.cloud.port;
  await first.close();
  await takePort(port);
  await takePort(cloudPort);

  const second = await startWorld({ directory });
  onTestFinished(() => second.close());
  expect(second.cluster.kubeSystemUid).toBe(kubeSystemUid);
  expect([port, cloudPort]).not.toContain(second.cluster.port);
  expect(readFileSync(second.kubeconfig, 'utf8')).toContain(second.cluster.url);
});

test('a world with a damaged cloud lets go of its cluster and says what to do', async () => {
  const directory = folder();
  const first = await startWorld({ directory });
  const { port } = first.cluster;
  await first.close();
  writeFileSync(join(directory, 'cloud.db'), 'x'.repeat(8192));

  const failure = await startWorld({ directory }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StorageError);
  expect(String(failure)).toMatch(/cloud\.db: .* move it away; without it, the simulated cloud starts empty/);
  // Whoever can listen there now knows that nobody does any more.
  expect((await takePort(port)).listening).toBe(true);
});
