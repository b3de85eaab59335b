/** What an attack is made on: the real host in a process of its own, and in this process the clusters and clouds around it, all on loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../shared/config/load.ts';
import { zeroLatency } from '../../sim/cloud/settings.ts';
import { startWorld, type World } from '../../sim/scenes/sim.ts';

export interface Stage {
  /** A cluster with a cloud of its own: the neighbor that nothing may happen to. */
  readonly world: World;
  /** The host, with the neighbor as cluster `quiet` and whatever the attack adds. */
  startHost(more?: Partial<ConfigInput> & { clusters?: ConfigInput['clusters'] }): Promise<Host>;
  directory(name: string): string;
  /** To be called at the end. */
  defer(close: () => unknown): void;
}

export interface Host {
  readonly url: string;
  readonly token: string;
  /** Everything that it has logged. */
  log(): string;
  megabytes(): number;
  hasEnded(): boolean;
}

export const intakeToken = 'attack-intake-token-0123456789';
const startSeconds = 30;
/** As the first line of the command has them; memory is measured with them. */
const nodeOptions = ['--max-semi-space-size=8', '--heap-growing-percent=50', '--no-parallel-scavenge'];
const starter = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));

export async function onStage<T>(attack: (stage: Stage) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'poolwright-attack-'));
  const closing: (() => unknown)[] = [() => rmSync(root, { recursive: true, force: true })];
  const directory = (name: string): string => join(root, name);
  try {
    const world = await startWorld({ directory: directory('world'), cloud: zeroLatency });
    closing.push(() => world.close());
    return await attack({
      world,
      directory,
      defer: (close) => void closing.push(close),
      startHost: async (more = {}) => {
        const config: ConfigInput = {
          providers: { sim: { type: 'sim', url: world.cloud.url } },
          http: { port: 0 },
          ...more,
          clusters: { quiet: { server: world.cluster.url, intake: { tokens: [intakeToken] } }, ...more.clusters },
        };
        const { host, end } = await startProcess(directory(`host-${closing.length}`), config);
        closing.push(end);
        return host;
      },
    });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function startProcess(data: string, config: ConfigInput): Promise<{ host: Host; end(): Promise<void> }> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const file = join(data, 'attack.json');
  const logFile = join(data, 'attack.log');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const output = openSync(logFile, 'w');
  const options = [...nodeOptions, starter, 'start', '--config', file, '--data-dir', data, '--json'];
  const child = spawn(process.execPath, options, { stdio: ['ignore', output, output] });
  closeSync(output);
  const log = (): string => readFileSync(logFile, 'utf8');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const until = performance.now() + startSeconds * 1000;
  let url: string | undefined;
  while (url === undefined) {
    if (hasEnded() || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`the host has not started:\n${log().slice(-2000)}`);
    }
    url = /"event":"host\.started"[^\n]*?"http":"([^"]+)"/.exec(log())?.[1];
    await pause(20);
  }
  const host: Host = {
    url,
    token: readFileSync(join(data, 'token'), 'utf8').trim(),
    log,
    hasEnded,
    megabytes: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
  };
  return { host, end: () => endProcess(child) };
}

function endProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
