/** The real command in a process of its own, with what it says and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { startWorld, type World } from '../../../sim/scenes/sim.ts';

const cli = fileURLToPath(new URL('../../../cli/poolwright.js', import.meta.url));

export interface HostProcess {
  readonly pid: number;
  /** Where its HTTP API is, once it is up; rejects with what it said when it ends before. */
  readonly up: Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** All that it has said so far, on both outputs. */
  said(): string;
  /** Resolves when it has said so. */
  says(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface HostOptions {
  directory: string;
  config?: string | undefined;
  args?: string[];
  env?: Record<string, string>;
  /** No file may grow beyond this many KiB: the nearest thing to a full disk that needs no rights. */
  fileLimitKiB?: number;
}

const running = new Set<ChildProcess>();
const directories = new Set<string>();
const worlds = new Set<World>();

/** Ends what a test has started, whatever became of it. */
export function useProcesses(): void {
  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all([...running].map((child) => new Promise((resolve) => child.once('exit', resolve))));
    for (const world of worlds) await world.close();
    worlds.clear();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    directories.clear();
  });
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-host-'));
  directories.add(directory);
  return directory;
}

/** A simulated cloud and cluster that outlive the host, and a configuration for them. */
export async function worldBeside(more: { [key: string]: unknown } = {}): Promise<{ world: World; config: string }> {
  const base = temporaryDirectory();
  mkdirSync(join(base, 'world'));
  const cloud = { bootSeconds: 0.2, readySeconds: 0.1, deleteSeconds: 0.1 };
  const world = await startWorld({ directory: join(base, 'world'), cloud });
  worlds.add(world);
  const config = join(base, 'poolwright.json');
  const settings = {
    clusters: { sim: { server: world.cluster.url, resyncSeconds: 1 } },
    providers: { sim: { type: 'sim', url: world.cloud.url, writeSeconds: 3 } },
    http: { port: 0 },
    ...more,
  };
  writeFileSync(config, JSON.stringify(settings));
  return { world, config };
}

export function startHost(options: HostOptions): HostProcess {
  const { directory, config, args = [], env = {}, fileLimitKiB } = options;
  const port = config === undefined ? ['--http-port', '0'] : ['--config', config];
  const command = [process.execPath, cli, 'start', '--data-dir', directory, '--json', ...port, ...args];
  const limited =
    fileLimitKiB === undefined ? command : ['bash', '-c', `ulimit -f ${fileLimitKiB}; exec "$@"`, 'bash', ...command];
  const [program = '', ...rest] = limited;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  running.add(child);
  let text = '';
  const waiting = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    text += chunk.toString();
    for (const look of waiting) look();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    // Not `exit`: by then the last words may still be on their way.
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  const find = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const again = (): void => {
        const found = look();
        if (found === undefined) return;
        waiting.delete(again);
        resolve(found);
      };
      waiting.add(again);
      again();
      void ended.then(({ code, signal }) => reject(new Error(`it ended (${signal ?? code}) and said:\n${text}`)));
    });
  const started = find(() => /"event":"host\.started".*?"http":"([^"]+)"/.exec(text)?.[1]);
  const up = started.then(async (url) => {
    // An answer means that it also listens to signals by now.
    await fetch(`${url}/healthz`);
    return url;
  });
  up.catch(() => {});
  return {
    pid: child.pid ?? 0,
    up,
    ended,
    said: () => text,
    says: async (expected) => void (await find(() => (text.includes(expected) ? true : undefined))),
    kill: (signal) => void child.kill(signal),
  };
}
