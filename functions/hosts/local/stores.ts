/** The SQLite files of a host: what it knows, what it has to look at, and how far each workflow is. */
import { maxEventBytes } from '../../../events/envelope.ts';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';
import type { SqliteDatabase, StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import type { Queue } from '../../../shared/queue/contract.ts';
import { openSqliteQueue } from '../../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../../shared/queue/sqlite/schema.ts';
import type { State } from '../../../shared/state/contract.ts';
import { closeStateDatabase, openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import { openJournal } from '../../../shared/workflow/sqlite/schema.ts';
import type { DataDirectory } from './data-directory.ts';
import { freeSpaceProblem } from './free-space.ts';

const megabyte = 1024 * 1024;

type OnFatal = (error: StorageError) => void;

export interface OpenState {
  state: State;
  close(): void;
}

/** By itself, and first: clusters are connected with it, and a configuration that connects to none needs no other file. */
export function openState(directory: DataDirectory, onFatal: OnFatal): OpenState {
  const opened = openStateDatabase({ file: directory.file('state.db'), onFatal });
  return { state: openSqliteState({ ...opened, clock: systemClock }), close: () => closeStateDatabase(opened) };
}

export interface OpenWork {
  events: Queue;
  journal: SqliteDatabase;
  close(): void;
}

export interface WorkStores {
  directory: DataDirectory;
  queue: Config['queue'];
  log: Log;
  metrics: Metrics;
  onFatal: OnFatal;
}

export function openWork({ directory, queue, log, metrics, onFatal }: WorkStores): OpenWork {
  const queues = openQueueDatabase({ file: directory.file('queue.db'), onFatal });
  const journal = openJournal(directory.file('journal.db'));
  const { visibilitySeconds, maxReceives, minFreeMegabytes } = queue;
  const events = openSqliteQueue({
    ...queues,
    name: 'events',
    clock: systemClock,
    ids: systemIds,
    options: {
      visibilitySeconds,
      maxReceives,
      maxBodyBytes: maxEventBytes,
      share: { messages: queue.maxWaitingPerCluster, bytes: queue.maxWaitingMegabytesPerCluster * megabyte },
      deadLetterBounds: {
        letters: queue.deadLetters.max,
        bytes: queue.deadLetters.maxMegabytes * megabyte,
        seconds: queue.deadLetters.keep,
        onDropped: ({ letters, why }) => {
          metrics.deadLettersDropped.inc({ queue: 'events', bound: why }, letters);
          log.write('event.dead-letters.bounded', { letters, bound: why });
        },
      },
    },
    diskProblem: freeSpaceProblem({ path: directory.path, minFreeMegabytes, clock: systemClock }),
  });
  return {
    events,
    journal,
    close: () => {
      queues.database.close();
      journal.close();
    },
  };
}
