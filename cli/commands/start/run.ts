/** `poolwright start`: the product on one machine. */
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { DataDirectoryError, openDataDirectory } from '../../../functions/hosts/local/data-directory.ts';
import { startLocalHost } from '../../../functions/hosts/local/host.ts';
import { type KeptLog, keepLog } from '../../../functions/hosts/local/kept-log.ts';
import { defined } from '../../../shared/base/defined.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type Config, type ConfigInput, fromEnv, loadConfig } from '../../../shared/config/load.ts';
import { createLog, type Log } from '../../../shared/observe/log/log.ts';
import { StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import { watchable } from '../../../sim/aso/settings.ts';
import { offered, type Subscription, startSubscription } from '../../../sim/scenes/azure-subscription.ts';
import { startWorld, type World } from '../../../sim/scenes/sim.ts';
import { rememberUrl } from '../../reach/remembered-host.ts';
import type { Level } from '../../terminal/option-values.ts';
import { untilStopped } from '../../terminal/signals.ts';
import { createTerminalLog } from '../../terminal/terminal-log.ts';
import { UserError } from '../../terminal/user-error.ts';
import { version } from '../../version.ts';
import { choosePort } from './http-port.ts';
import { welcome } from './welcome.ts';

export interface StartOptions {
  config?: string;
  dataDir: string;
  httpPort?: number;
  logLevel?: Level;
  json?: boolean;
}

export async function start(options: StartOptions): Promise<number> {
  try {
    return await run(options);
  } catch (error) {
    if (error instanceof DataDirectoryError || error instanceof StorageError)
      throw new UserError(error.message, { code: 'StorageUnusable' });
    throw fileProblem(error) ?? error;
  }
}

async function run(options: StartOptions): Promise<number> {
  let config = checked(options, {});
  const directory = openDataDirectory(resolve(options.dataDir));
  let world: World | undefined;
  let subscription: Subscription | undefined;
  let kept: KeptLog | undefined;
  try {
    // Without clusters of one's own there is a simulated one, so that the first five minutes need nothing.
    if (Object.keys(config.clusters).length === 0) {
      world = await startWorld({ directory: directory.path, aso: { settings: { ...watchable, ...offered } } });
      subscription = world.aso && (await startSubscription(world.aso, directory.path));
      config = checked(options, simulated(world, subscription));
    }
    const choice = await choosePort(config.http, isPortAsked(options), directory.path);
    config = { ...config, http: { ...config.http, port: choice.port } };

    const pretty = options.json ? false : config.log.pretty === 'auto' ? process.stdout.isTTY : config.log.pretty;
    kept = keepLog({ directory: directory.file('log'), clock: systemClock });
    const host = await startLocalHost({
      config,
      directory,
      log: logFor(config, pretty, kept.write),
      version,
      logs: kept,
    });
    if (!host.ok) throw new UserError(host.error.message, { code: 'HostNotStarted' });
    const { url } = host.value;
    directory.token();
    rememberUrl(directory.path, url, config.http.tokenFile);
    // Lines of JSON stay alone on standard output, so that they can be piped on.
    const talk = pretty ? process.stdout : process.stderr;
    if (!options.json) {
      const { tokenFile } = config.http;
      talk.write(welcome({ url, directory: directory.path, tokenFile, note: choice.note, world }));
    }
    // A process that is killed does not get to keep its compiled code.
    flushCompileCache();

    const say = (text: string): void => void talk.write(`${text}\n`);
    const ended = await Promise.race([untilStopped(options.json ? undefined : say), host.value.broken]);
    await host.value.stop();
    if (ended instanceof StorageError) throw ended;
    return 0;
  } finally {
    await subscription?.close();
    await world?.close();
    kept?.close();
    directory.release();
  }
}

/** Claims go to the simulated cloud; the subscription is for requests for clusters alone. */
const simulated = ({ cluster, cloud }: World, subscription: Subscription | undefined): ConfigInput => {
  const azure = subscription?.provider;
  return {
    clusters: {
      sim: {
        server: cluster.url,
        providers: ['sim'],
        clusterRequests: azure === undefined ? {} : { provider: 'azure' },
      },
    },
    providers: { sim: { type: 'sim', url: cloud.url }, ...defined({ azure }) },
  };
};

const fileProblems: Record<string, string> = {
  ENOSPC: 'the disk is full. Free some space on it, then start again.',
  EDQUOT: 'the disk quota of this user is used up. Free some space, then start again.',
  EACCES: 'this user has no write permission. Grant it, or pass another directory with --data-dir.',
  EPERM: 'this user has no write permission. Grant it, or pass another directory with --data-dir.',
  EROFS: 'the file system is read-only. Pass another directory with --data-dir.',
};

/** The small files beside the databases (ports, token, kubeconfig) meet the same disk. */
export function fileProblem(error: unknown): UserError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const text = fileProblems[String(error.code)];
  // A full disk shows at the write, which no longer knows the name of the file.
  const where = 'path' in error ? `${String(error.path)}: ` : 'The data directory: ';
  return text === undefined ? undefined : new UserError(where + text, { code: 'StorageUnusable' });
}

function checked(options: StartOptions, more: ConfigInput): Config {
  const { httpPort, logLevel } = options;
  const loaded = loadConfig(options.config, process.env, {
    ...(httpPort === undefined ? {} : { http: { port: httpPort } }),
    ...(logLevel === undefined ? {} : { log: { level: logLevel } }),
    ...more,
  });
  if (!loaded.ok) throw new UserError(loaded.text, { code: 'InvalidConfiguration' });
  return loaded.config;
}

/** A configuration stands for a host that others rely on: its port does not move by itself. */
function isPortAsked({ httpPort, config }: StartOptions): boolean {
  if (httpPort !== undefined || config !== undefined) return true;
  return fromEnv(process.env).settings.some(({ path }) => path.join('.') === 'http.port');
}

function logFor(config: Config, pretty: boolean, keep: KeptLog['write']): Log {
  const { level } = config.log;
  if (!pretty) return createLog({ level, pretty: false, keep });
  const color = process.stdout.isTTY && process.stdout.hasColors();
  return createTerminalLog({ level, color, keep, write: (text) => void process.stdout.write(text) });
}
