/** The watcher of the queue of events. */
export { watchEvents as handler } from '../handlers/watch-events.ts';
