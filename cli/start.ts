/** `poolwright start`: the product on one machine. */
import { isAbsolute, relative, resolve } from 'node:path';
import { DataDirectoryError, openDataDirectory } from '../functions/hosts/local/data-directory.ts';
import { startLocalHost } from '../functions/hosts/local/host.ts';
import { type ConfigInput, loadConfig } from '../shared/config.ts';
import { createLog } from '../shared/log.ts';
import { StorageError } from '../shared/sqlite.ts';
import { startWorld, type World } from '../sim/start.ts';
import { untilStopped } from './signals.ts';
import { version } from './version.ts';

export interface StartOptions {
  config?: string;
  dataDir: string;
  httpPort?: string;
  logLevel?: string;
  json?: boolean;
}

export async function start(options: StartOptions): Promise<void> {
  try {
    process.exitCode = await run(options);
  } catch (error) {
    if (!(error instanceof DataDirectoryError) && !(error instanceof StorageError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function run(options: StartOptions): Promise<number> {
  const directory = openDataDirectory(resolve(options.dataDir));
  let world: World | undefined;
  try {
    const overrides = overridesOf(options);
    const checked = loadConfig(options.config, process.env, overrides);
    if (!checked.ok) return refuse(checked.text);
    let { config } = checked;
    // Without clusters of one's own there is a simulated one, so that the first five minutes need nothing.
    if (Object.keys(config.clusters).length === 0) {
      world = await startWorld({ directory: directory.path });
      const simulated: ConfigInput = {
        clusters: { sim: { server: world.cluster.url } },
        providers: { sim: { type: 'sim', url: world.cloud.url } },
      };
      const merged = loadConfig(options.config, process.env, { ...overrides, ...simulated });
      if (!merged.ok) return refuse(merged.text);
      ({ config } = merged);
    }
    const pretty = options.json ? false : config.log.pretty === 'auto' ? process.stdout.isTTY : config.log.pretty;
    const log = createLog({ level: config.log.level, pretty, colour: pretty && process.stdout.hasColors?.() });
    const host = await startLocalHost({ config, directory, log, version });
    if (!host.ok) return refuse(host.error.message);
    directory.token();
    if (!options.json) welcome(host.value.url, directory.path, world);

    const ended = await Promise.race([untilStopped(), host.value.broken]);
    await host.value.stop();
    if (ended instanceof StorageError) return refuse(ended.message);
    return 0;
  } finally {
    await world?.close();
    directory.release();
  }
}

function overridesOf(options: StartOptions): ConfigInput {
  const level = options.logLevel as NonNullable<ConfigInput['log']>['level'];
  return {
    ...(options.httpPort === undefined ? {} : { http: { port: Number(options.httpPort) } }),
    ...(level === undefined ? {} : { log: { level } }),
  };
}

function refuse(text: string): number {
  console.error(text);
  return 1;
}

function welcome(url: string, directory: string, world: World | undefined): void {
  const near = relative(process.cwd(), directory);
  const shown = near.startsWith('..') || isAbsolute(near) ? directory : near;
  const lines = [`Poolwright ${version} is up.`, `  HTTP            ${url} (token in ${shown}/token)`];
  if (world) {
    const kubectl = `kubectl --kubeconfig ${shown}/kubeconfig`;
    lines.push(
      `  Kubernetes API  ${world.cluster.url} (simulated; ${shown}/kubeconfig)`,
      `  Cloud           ${world.cloud.url} (simulated)`,
      '',
      'Try:',
      `  ${kubectl} apply -f docs/examples/first-claim.yaml`,
      `  ${kubectl} get nodeclaims,nodes -w`,
      `  ${kubectl} delete nodeclaim first`,
    );
  }
  console.log(`${lines.join('\n')}\n`);
}
