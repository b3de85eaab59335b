/** Everything on a timer that only reads the cloud. Its schedules say which of them is meant: `{ "timer": "resync" }`. */
export { reconcile as handler } from '../handlers/timer.ts';
