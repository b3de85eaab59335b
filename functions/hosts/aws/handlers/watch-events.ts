/** The queue of events: what happened in the clusters. */
import { eventWatcher } from '../../../watchers/event-watcher.ts';
import { batchHandler } from './batch.ts';

export const watchEvents = batchHandler(eventWatcher);
