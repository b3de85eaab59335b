/**
 * The crash test on Azure Functions: the package as it is published, on the stand-in for its host. What is outside of that
 * process stays up: Table storage, Service Bus, the file of the task hub, and the bridge, which tells of the cluster's events.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { maxEventBytes } from '../../events/envelope.ts';
import { systemClock, systemIds } from '../../shared/base/runtime.ts';
import { openServiceBus } from '../../shared/queue/service-bus/client.ts';
import { openServiceBusQueue } from '../../shared/queue/service-bus/queue.ts';
import { startAzuriteTables } from '../peers/azurite.ts';
import { startServiceBus } from '../stand-ins/service-bus/broker.ts';
import { followCluster } from './bridge.ts';
import type { HostProcess } from './processes.ts';

const repository = join(import.meta.dirname, '../..');

export interface AzureHostOptions {
  /** Where the package, the hub and the log go. */
  directory: string;
  /** The configuration file. */
  config: string;
  /** The cluster's API as the bridge meets it. */
  clusterUrl: string;
  env: Record<string, string>;
  seed: number;
}

export interface AzureHost {
  launch(): HostProcess;
  /** How often the process ended itself between an effect and its checkpoint. */
  readonly died: number;
  close(): Promise<void>;
}

const queue = { visibilitySeconds: 10, maxReceives: 10, maxBodyBytes: maxEventBytes };

export async function azureHost(options: AzureHostOptions): Promise<AzureHost> {
  const { directory, config, clusterUrl, seed } = options;
  mkdirSync(directory, { recursive: true });
  const folder = packageInto(join(directory, 'package'));
  const broker = await startServiceBus({
    queues: { events: { lockSeconds: queue.visibilitySeconds, maxDeliveryCount: queue.maxReceives } },
  });
  const tables = await startAzuriteTables();
  const env = {
    ...options.env,
    ServiceBus: broker.connectionString,
    State: tables.connectionString,
    POOLWRIGHT_CONFIG: config,
  };
  const bridge = watch(clusterUrl, broker.connectionString);
  let launches = 0;
  let died = 0;
  const spawnHost = () => {
    const program = join(repository, 'test/hosts/azure/host-process.ts');
    const faults = String(seed * 1000 + ++launches);
    const args = [program, '--hub', join(directory, 'hub.db'), '--package', folder, '--faults', faults];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const log = createWriteStream(join(directory, '..', 'host.log'), { flags: 'a' });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    return child;
  };

  const launch = (): HostProcess => {
    let wanted = false;
    let child = spawnHost();
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => undefined);
    const watchOver = (): void => {
      child.once('exit', (code, signal) => {
        if (wanted) return;
        if (signal !== 'SIGKILL') {
          reject(new Error(`the host exited unexpectedly (${signal ?? code}); its log is next to ${directory}`));
          return;
        }
        died++;
        child = spawnHost();
        watchOver();
      });
    };
    watchOver();
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      wanted = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      await new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.kill(signal);
      });
    };
    return { failed, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
  };

  return {
    launch,
    get died() {
      return died;
    },
    async close() {
      await bridge.close();
      await tables.close();
      await broker.close();
    },
  };
}

/** The very folder that would be published. */
function packageInto(folder: string): string {
  const script = join(repository, 'scripts/package/azure.ts');
  const made = spawnSync(process.execPath, [script, '--out', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`the package could not be made: ${made.stderr || made.stdout}`);
  return folder;
}

function watch(clusterUrl: string, connectionString: string): { close(): Promise<void> } {
  const namespace = openServiceBus({ connectionString });
  const events = openServiceBusQueue({ namespace, name: 'events', clock: systemClock, ids: systemIds, options: queue });
  const bridge = followCluster(clusterUrl, { name: 'service-bus', send: (bodies) => events.send(bodies) });
  return {
    async close() {
      await bridge.close();
      await namespace.close();
    },
  };
}
