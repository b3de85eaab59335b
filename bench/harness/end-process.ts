import type { ChildProcess } from 'node:child_process';
import { forgetProcess } from './leftovers.ts';

const ending = new WeakSet<ChildProcess>();

/** A process that ends before it is told to ends the bench: nobody would go on with what the bench waits for. */
export function mustStay(child: ChildProcess, name: string): void {
  child.once('exit', (code, signal) => {
    if (!ending.has(child)) throw new Error(`${name} has ended unexpectedly (${signal ?? code})`);
  });
}

/** Resolves when the process is gone. */
export function endProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  ending.add(child);
  return new Promise((resolve) => {
    const gone = (): void => {
      if (child.pid !== undefined) forgetProcess(child.pid);
      resolve();
    };
    if (child.exitCode !== null || child.signalCode !== null) return gone();
    child.once('exit', gone);
    child.kill(signal);
  });
}
