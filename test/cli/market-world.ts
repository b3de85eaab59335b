/** A simulated cluster and cloud behind a real HTTP server, in a data directory where commands find it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberUrl } from '../../cli/reach/remembered-host.ts';
import { serveHttp } from '../../functions/hosts/local/http-server.ts';
import { createHttpApp } from '../../functions/http/app.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { token } from '../http/world.ts';
import { type TestWorld, type TestWorldOptions, testWorld } from '../nodes/world.ts';
import { poolwright, poolwrightAnswering, type Said } from './collect.ts';

export interface MarketWorld extends TestWorld {
  readonly directory: string;
  /** A command that asks this host. */
  run(...args: string[]): Promise<Said>;
  runAnswering(answer: string, ...args: string[]): Promise<Said & { questions: string[] }>;
}

/** With a node class `default`. */
export async function marketWorld(options: TestWorldOptions = {}): Promise<MarketWorld> {
  const world = await testWorld(options);
  await world.createNodeClass('default');
  const app = createHttpApp({
    members: () => [],
    services: world.services,
    token: () => token,
    ready: async () => ({ ready: true, checks: {} }),
    version: '1.2.3',
  });
  const served = await serveHttp(app, { host: '127.0.0.1', port: 0 }, silentLog);
  if (!served.ok) throw new Error(served.error.message);
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-market-'));
  rememberUrl(directory, served.value.url);
  writeFileSync(join(directory, 'token'), `${token}\n`);
  // A kubeconfig that leads to the simulated cluster, where the command looks for it by itself.
  writeFileSync(join(directory, 'kubeconfig'), kubeconfig(world.cluster.url));
  return {
    ...world,
    directory,
    run: (...args) => poolwright(...args, '-d', directory),
    runAnswering: (answer, ...args) => poolwrightAnswering(answer, ...args, '-d', directory),
    async close() {
      await served.value.close();
      rmSync(directory, { recursive: true, force: true });
      await world.close();
    },
  };
}

const kubeconfig = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sim',
    clusters: [{ name: 'sim', cluster: { server } }],
    users: [{ name: 'sim', user: {} }],
    contexts: [{ name: 'sim', context: { cluster: 'sim', user: 'sim' } }],
  });
