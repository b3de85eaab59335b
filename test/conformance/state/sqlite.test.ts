import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '../../../shared/base/runtime.ts';
import { openSqliteState, openStateDatabase, type StateDatabase } from '../../../shared/state/sqlite/state.ts';
import { stateConformance } from './conformance.ts';
import type { StateHarness } from './harness.ts';

/** `file`: a crash leaves the first connection open and never touches it again, as a killed process would. */
async function sqliteHarness(kind: 'file' | 'memory'): Promise<StateHarness> {
  const directory = kind === 'file' ? mkdtempSync(join(tmpdir(), 'poolwright-state-')) : undefined;
  const clock = manualClock();
  // What is held back is never written by itself: a dead process must not write into the file of the next.
  const timers = { after: () => () => undefined };
  const open = () => openStateDatabase({ file: directory ? join(directory, 'state.db') : ':memory:', timers });
  const opened: StateDatabase[] = [open()];
  return {
    open: async () => openSqliteState({ ...opened.at(-1)!, clock }),
    pass: async (seconds) => clock.advance(seconds * 1000),
    // What is in memory dies with its process: there, only the driver itself is made anew.
    crash: async () => void (directory && opened.push(open())),
    close: async () => {
      for (const { database } of opened) database.close();
      if (directory) rmSync(directory, { recursive: true });
    },
  };
}

stateConformance('SQLite in a file', () => sqliteHarness('file'), 20);
stateConformance('SQLite in memory', () => sqliteHarness('memory'), 150);
