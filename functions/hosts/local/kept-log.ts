/**
 * The last lines of the log, kept in the data directory so that `poolwright logs` finds them whoever started the host. A ring of
 * files: each is only ever appended to, a full one is followed by the next number, and the oldest goes. Whatever is wrong with the
 * disk, the host goes on: lines are left out until there is room again.
 */
import { closeSync, fstatSync, mkdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivate } from '../../../shared/base/private-file.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { LogPage, LogQuery } from '../../http/routes/logs/log-page.ts';
import { fileName, fileNumbers } from './kept-log-files.ts';
import { readKeptLog } from './read-kept-log.ts';

export interface KeptLogOptions {
  directory: string;
  clock: Clock;
  /** A file that has grown to this is followed by the next. */
  fileBytes?: number;
  files?: number;
}

export interface KeptLog {
  /** A whole line, newline included. It never throws. */
  write(line: string): void;
  read(query: LogQuery): Promise<LogPage>;
  close(): void;
}

const tryAgainMs = 10_000;
const newline = 10;

export function keepLog({ directory, clock, fileBytes = 4 * 1024 * 1024, files = 5 }: KeptLogOptions): KeptLog {
  let current: { file: number; descriptor: number; size: number } | undefined;
  let tryAgainAt = 0;

  function open(after = 0): NonNullable<typeof current> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = Math.max(1, after, ...fileNumbers(directory));
    const descriptor = openPrivate(join(directory, fileName(file)));
    try {
      const { size } = fstatSync(descriptor);
      if (size >= fileBytes) {
        closeSync(descriptor);
        return open(file + 1);
      }
      // A process that died, or a disk that was full, may have left half a line.
      const half = size > 0 && lastByte(descriptor, size) !== newline;
      if (half) writeSync(descriptor, '\n');
      for (const old of fileNumbers(directory)) {
        if (old <= file - files) rmSync(join(directory, fileName(old)), { force: true });
      }
      return { file, descriptor, size: size + (half ? 1 : 0) };
    } catch (error) {
      close(descriptor);
      throw error;
    }
  }

  return {
    write(line) {
      if (current === undefined && clock.now() < tryAgainAt) return;
      try {
        current ??= open();
        const bytes = Buffer.from(line);
        const written = writeSync(current.descriptor, bytes);
        if (written < bytes.length) throw new Error('the disk took a part of the line');
        current.size += written;
        if (current.size < fileBytes) return;
        const { file, descriptor } = current;
        current = undefined;
        closeSync(descriptor);
        current = open(file + 1);
      } catch {
        // Nobody could be told but the log itself.
        if (current) close(current.descriptor);
        current = undefined;
        tryAgainAt = clock.now() + tryAgainMs;
      }
    },
    read: (query) => readKeptLog(directory, query),
    close() {
      if (current) close(current.descriptor);
      current = undefined;
    },
  };
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It is of no use either way.
  }
}

function lastByte(descriptor: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, size - 1);
  return byte[0];
}
