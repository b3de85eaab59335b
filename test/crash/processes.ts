/** The processes of the crash test: the simulated world, and the host that is killed again and again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Provider } from './options.ts';

const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));

export interface WorldProcess {
  readonly cluster: string;
  /** The ledger and the faults; the simulated cloud itself is there, too. */
  readonly cloud: string;
  /** What the configuration of a provider needs, and the host's environment, on a stand-in for somebody's cloud. */
  readonly standIn?: { options: { [kind: string]: object }; env: Record<string, string> };
  /** Of a scene whose machines another process serves: their file, and where that process listens. */
  readonly file?: string;
  readonly provider?: string;
  stop(): Promise<void>;
}

export async function startWorldProcess(
  directory: string,
  provider: Provider,
  settings: object,
): Promise<WorldProcess> {
  const simulate = [cli, 'simulate', '--provider', provider];
  const args = [...simulate, '--data-dir', directory, '--settings', JSON.stringify(settings)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the simulated world ended with ${code} before it was up`)));
  });
  const places = JSON.parse(first) as Omit<WorldProcess, 'stop'>;
  return { ...places, stop: () => end(child, 'SIGTERM') };
}

export interface HostProcess {
  /** Rejects when the host ended by itself. */
  readonly failed: Promise<never>;
  /** kill -9, at once; resolves when the process is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export function startHostProcess(directory: string, config: string, env: Record<string, string>): HostProcess {
  const args = [cli, 'start', '--config', config, '--data-dir', directory, '--json'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const log = createWriteStream(join(directory, '..', 'host.log'), { flags: 'a' });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  let wanted = false;
  const failed = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => {
      if (!wanted) reject(new Error(`the host exited unexpectedly (${signal ?? code}); its log is ${log.path}`));
    });
  });
  failed.catch(() => {});
  const finish = async (signal: NodeJS.Signals): Promise<void> => {
    wanted = true;
    await end(child, signal);
  };
  return { failed, kill: () => finish('SIGKILL'), stop: () => finish('SIGTERM') };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
