/** The real local host, as `npm start` runs it: its own process, its files on disk, everything as by default. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../shared/config/load.ts';
import { endProcess, mustStay } from './end-process.ts';
import { rememberProcess } from './leftovers.ts';

export const hostAgent = 'poolwright';

export interface HostProcess {
  readonly pid: number;
  readonly journal: string;
  /** When the process was asked for, by the wall clock. */
  readonly startedAt: number;
  /** Resident memory in MB, as the kernel counts it. */
  memory(): { now: number; peak: number };
  kill(): Promise<void>;
  end(): Promise<void>;
}

const root = new URL('../../', import.meta.url);
const entry = 'cli/poolwright.js';

/** What `npm start` gives to Node, and the entry that it starts. */
export function startCommand(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split(' ');
  if (words[0] !== 'node' || !words.includes(entry)) throw new Error(`"${scripts.start}" does not start ${entry}`);
  return [...words.slice(1, words.indexOf(entry)), fileURLToPath(new URL(entry, root)), 'start'];
}

/** What the host is told of the world: where the cluster is, and the cloud. */
export interface HostWorld {
  readonly clusterUrl: string;
  readonly providers: NonNullable<ConfigInput['providers']>;
  readonly env?: Record<string, string>;
  /** It is a management cluster: requests for clusters are carried out there. */
  readonly makesClusters?: boolean;
}

/** Nothing is switched off or tuned: only where cluster and cloud are, and a port that is free. */
const configFor = ({ clusterUrl, providers, makesClusters }: HostWorld): ConfigInput => ({
  clusters: { sim: { server: clusterUrl, ...(makesClusters ? { clusterRequests: {} } : {}) } },
  providers,
  http: { port: 0 },
});

/** Resolves when the host says that it is up. */
export async function startHost(directory: string, world: HostWorld): Promise<HostProcess> {
  mkdirSync(directory, { recursive: true });
  const config = join(directory, 'bench.json');
  writeFileSync(config, JSON.stringify(configFor(world)));
  const log = join(directory, `host-${Date.now()}.log`);
  // The log goes to a file, as a service's would; a pipe would make the bench its reader.
  const output = openSync(log, 'w');
  const startedAt = Date.now();
  const profile = process.env.BENCH_PROFILE;
  const child = spawn(
    process.execPath,
    [
      ...(profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]),
      ...startCommand(),
      '--config',
      config,
      '--data-dir',
      directory,
      '--json',
    ],
    { stdio: ['ignore', output, output], env: { ...process.env, ...world.env } },
  );
  closeSync(output);
  const { pid } = child;
  if (pid === undefined) throw new Error('the host could not be started');
  rememberProcess(pid);
  while (!readFileSync(log, 'utf8').includes('"host.started"')) {
    if (child.exitCode !== null) throw new Error(`the host has ended:\n${readFileSync(log, 'utf8').slice(-2000)}`);
    await pause(20);
  }
  mustStay(child, 'the host');
  return {
    pid,
    startedAt,
    journal: join(directory, 'journal.db'),
    memory: () => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const megabytes = (field: string): number =>
        Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
      return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
    },
    kill: () => endProcess(child, 'SIGKILL'),
    end: () => endProcess(child, 'SIGTERM'),
  };
}
