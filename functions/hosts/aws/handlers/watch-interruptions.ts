/** The queue of what EventBridge tells about machines. */
import { interruptionWatcher } from '../../../watchers/interruption-watcher.ts';
import { batchHandler } from './batch.ts';

export const watchInterruptions = batchHandler(interruptionWatcher);
