/** The HTTP app of the tests behind a real server, in a data directory where commands find it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberUrl } from '../../cli/reach/remembered-host.ts';
import { serveHttp } from '../../functions/hosts/local/http-server.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { type HttpWorld, type HttpWorldOptions, httpWorld, token } from '../http/world.ts';
import { poolwright, poolwrightAnswering, type Said } from './collect.ts';

export interface HostWorld extends HttpWorld {
  readonly directory: string;
  /** A command that asks this host. */
  run(...args: string[]): Promise<Said>;
  /** The same with a person who answers every question like this. */
  runAnswering(answer: string, ...args: string[]): Promise<Said & { questions: string[] }>;
  close(): Promise<void>;
}

export async function hostWorld(options: HttpWorldOptions = {}): Promise<HostWorld> {
  const world = httpWorld(options);
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-cli-'));
  const served = await serveHttp(world.app, { host: '127.0.0.1', port: 0 }, silentLog);
  if (!served.ok) throw new Error(served.error.message);
  rememberUrl(directory, served.value.url);
  writeFileSync(join(directory, 'token'), `${token}\n`);
  // Commands may look there for a cluster, and must not find that of whoever runs the tests.
  const { KUBECONFIG: before } = process.env;
  process.env.KUBECONFIG = join(directory, 'kubeconfig');
  return {
    ...world,
    directory,
    run: (...args) => poolwright(...args, '-d', directory),
    runAnswering: (answer, ...args) => poolwrightAnswering(answer, ...args, '-d', directory),
    async close() {
      if (before === undefined) delete process.env.KUBECONFIG;
      else process.env.KUBECONFIG = before;
      await served.value.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
