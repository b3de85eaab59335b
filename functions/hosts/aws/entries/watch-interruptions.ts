/** The watcher of the queue on which EventBridge tells that machines will be taken away. */
export { watchInterruptions as handler } from '../handlers/watch-interruptions.ts';
