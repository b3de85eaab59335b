/** The terminal that this process runs in. */
import { writeSync } from 'node:fs';
import type { Tty } from './screen.ts';

export function processTty(): Tty {
  const { stdin, stdout } = process;
  return {
    size: () => ({ columns: stdout.columns || 80, lines: stdout.rows || 24 }),
    // At once: at the end of a process nothing is written that waits.
    write: (text) => {
      try {
        writeSync(stdout.fd, text);
      } catch {
        // A terminal that is gone can't be drawn upon, nor given back.
      }
    },
    setRaw: (on) => {
      if (!stdin.isTTY) return;
      stdin.setRawMode(on);
      if (on) stdin.resume();
      else stdin.pause();
    },
    onInput: (listener) => {
      if (!stdin.isTTY) return () => undefined;
      const onData = (data: Buffer): void => listener(data.toString('utf8'));
      stdin.on('data', onData);
      return () => void stdin.off('data', onData);
    },
    onResize: (listener) => {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
    onExit: (listener) => {
      process.once('exit', listener);
      return () => void process.off('exit', listener);
    },
  };
}
