/**
 * Everything around the app for Azure that outlives its process: tables (Azurite), a broker, the file of the task hub, a cluster and
 * a cloud. The process itself is started, killed and started again by whoever asks for the world.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../../shared/base/defined.ts';
import { startWorld, type World, type WorldOptions } from '../../../sim/scenes/sim.ts';
import { type Azurite, startAzuriteTables } from '../../peers/azurite.ts';
import { type Broker, startServiceBus } from '../../stand-ins/service-bus/broker.ts';

export interface AzureHostWorldOptions {
  /** Merged over the configuration of the one cluster, which is called `sim`. */
  cluster?: { [key: string]: unknown };
  /** Merged over the whole configuration. */
  config?: { [key: string]: unknown };
  cloud?: WorldOptions['cloud'];
  /** The cluster makes other clusters. */
  aso?: WorldOptions['aso'];
  /** Where the package lies; the sources are run without. */
  package?: string;
  timers?: boolean;
  /** Adds a cluster that nobody answers for, `away`. */
  away?: boolean;
}

export interface AzureHostProcess {
  readonly pid: number;
  readonly url: string;
  said(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface AzureHostWorld {
  readonly world: World;
  readonly tables: Azurite;
  readonly broker: Broker;
  readonly token: string;
  /** The app settings. */
  readonly settings: Readonly<Record<string, string>>;
  /** A new process on the same task hub, tables and queue. */
  startHost(): Promise<AzureHostProcess>;
  close(): Promise<void>;
}

const quickCloud = { bootSeconds: 0.2, readySeconds: 0.1, deleteSeconds: 0.1 };
/** As the infrastructure makes the queue. */
const queue = { lockSeconds: 60, maxDeliveryCount: 20 };

export async function startAzureHostWorld(options: AzureHostWorldOptions = {}): Promise<AzureHostWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-azure-host-'));
  const world = await startWorld({
    directory: join(directory, 'world'),
    cloud: options.cloud ?? quickCloud,
    ...defined({ aso: options.aso }),
  });
  const tables = await startAzuriteTables();
  const broker = await startServiceBus({ queues: { events: queue } });
  const token = 'the-token-of-this-world';
  const config = {
    deployment: 'functions',
    clusters: {
      sim: { server: world.cluster.url, ...options.cluster },
      ...(options.away ? { away: { server: 'http://127.0.0.1:1' } } : {}),
    },
    providers: { sim: { type: 'sim', url: world.cloud.url, writeSeconds: 3 } },
    // No bridge tells of Nodes here.
    lifecycle: { lookAgain: '0.5s' },
    ...options.config,
  };
  const settings = {
    ServiceBus: broker.connectionString,
    State: tables.connectionString,
    POOLWRIGHT_HTTP_TOKEN: token,
    POOLWRIGHT_CONFIG: JSON.stringify(config),
  };
  const running = new Set<ChildProcess>();
  return {
    world,
    tables,
    broker,
    token,
    settings,
    startHost: () => startProcess(options, settings, join(directory, 'hub.db'), running),
    close: async () => {
      await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
      await broker.close();
      await tables.close();
      await world.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startProcess(
  options: AzureHostWorldOptions,
  settings: Readonly<Record<string, string>>,
  hub: string,
  running: Set<ChildProcess>,
): Promise<AzureHostProcess> {
  const program = join(import.meta.dirname, 'host-process.ts');
  const from = options.package === undefined ? [] : ['--package', options.package];
  const timers = options.timers === false ? ['--no-timers'] : [];
  const child = spawn(process.execPath, [program, '--hub', hub, ...from, ...timers], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      text += chunk.toString();
      const up = /^\{"up":"([^"]+)"\}$/m.exec(text)?.[1];
      if (up !== undefined) resolve(up);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('close', (code, signal) => reject(new Error(`it ended (${signal ?? code}) and said:\n${text}`)));
  });
  return { pid: child.pid ?? 0, url, said: () => text, kill: (signal) => end(child, signal) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await closed;
}
