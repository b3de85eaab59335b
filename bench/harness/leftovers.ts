/** What a run leaves on the machine: processes and directories. All of it goes when the bench ends, however it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pids = new Set<number>();
const directories = new Set<string>();

/** A fresh directory on disk (not in memory), because the figures include what a sync costs. */
export function temporaryDirectory(name: string): string {
  const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), `poolwright-bench-${name}-`));
  directories.add(directory);
  return directory;
}

export function removeDirectory(directory: string): void {
  directories.delete(directory);
  rmSync(directory, { recursive: true, force: true });
}

export const rememberProcess = (pid: number): void => void pids.add(pid);
export const forgetProcess = (pid: number): void => void pids.delete(pid);

/** Synchronous, so that it also works in an exit handler. */
function removeAll(): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}

export function removeEverythingAtTheEnd(): void {
  process.on('exit', removeAll);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => process.exit(code));
  }
}
