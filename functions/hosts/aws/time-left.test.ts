import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { deadline } from './time-left.ts';

it('comes to its end in a process in which nothing else is under way', async () => {
  const file = fileURLToPath(new URL('./time-left.ts', import.meta.url));
  const code = `
    const { deadline } = await import(${JSON.stringify(file)});
    const { signal } = deadline(1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    process.stdout.write('over');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  expect(stdout).toBe('over');
});

it('holds up nobody once it is cancelled', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { signal, cancel } = deadline(1000);
  expect(vi.getTimerCount()).toBe(1);
  cancel();
  expect([vi.getTimerCount(), signal.aborted]).toEqual([0, false]);
});
