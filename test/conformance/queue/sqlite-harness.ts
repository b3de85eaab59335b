import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openSqliteQueue } from '../../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase, type QueueDatabase } from '../../../shared/queue/sqlite/schema.ts';
import type { QueueHarness } from './conformance.ts';

/** `file`: a crash leaves the first connection open and never touches it again, as a killed process would. */
export async function sqliteHarness(kind: 'file' | 'memory'): Promise<QueueHarness> {
  const directory = kind === 'file' ? mkdtempSync(join(tmpdir(), 'poolwright-queue-')) : undefined;
  const clock = manualClock();
  const open = () => openQueueDatabase({ file: directory ? join(directory, 'queue.db') : ':memory:' });
  const opened: QueueDatabase[] = [open()];
  return {
    open: async (name, options) => openSqliteQueue({ ...opened.at(-1)!, name, clock, ids: systemIds, options }),
    pass: async (seconds) => clock.advance(seconds * 1000),
    // What is in memory dies with its process: there, only the driver itself is made anew.
    crash: async () => void (directory && opened.push(open())),
    close: async () => {
      for (const { database } of opened) database.close();
      if (directory) rmSync(directory, { recursive: true });
    },
  };
}
