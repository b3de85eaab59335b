/** One process at a time, across processes: two test runs must not both build for minutes. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const lookAgainMs = 500;

export async function withLock<T>(file: string, onWait: () => void, act: () => Promise<T>): Promise<T> {
  let told = false;
  while (!take(file)) {
    if (!told) onWait();
    told = true;
    await pause(lookAgainMs);
  }
  try {
    return await act();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  // A holder that was killed leaves its lock behind; the next look finds it free.
  if (!isAlive(holderOf(file))) rmSync(file, { force: true });
  return false;
}

/** Undefined: just released, or just taken and not yet signed. */
function holderOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
