/** The two processes of the demo: the simulated world, and the host that gets killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** This very command, from its source or from the bundle. */
const [, cli = ''] = process.argv;

export interface Running {
  readonly pid: number;
  /** The lines of its standard output, as they come. */
  onLine(listener: (line: string) => void): void;
  /** Resolves when it has ended, with the signal or the exit code that ended it. */
  readonly ended: Promise<string>;
  end(signal: NodeJS.Signals): Promise<string>;
}

/** Standard error goes to `logFile`: it is there to be read when the demo fails. */
export function run(args: readonly string[], logFile: string, env: Record<string, string> = {}): Running {
  const log = openSync(logFile, 'a', 0o600);
  const child: ChildProcess = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const lines = child.stdout === null ? undefined : createInterface({ input: child.stdout });
  return {
    pid: child.pid ?? 0,
    onLine: (listener) => void lines?.on('line', listener),
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The first line that `pick` takes, or why there will be none. */
export async function firstLine<T>(
  process: Running,
  pick: (line: string) => T | undefined,
): Promise<{ line: T } | { ended: string }> {
  const line = new Promise<{ line: T }>((resolve) => {
    process.onLine((text) => {
      const picked = pick(text);
      if (picked !== undefined) resolve({ line: picked });
    });
  });
  return Promise.race([line, process.ended.then((ended) => ({ ended }))]);
}
