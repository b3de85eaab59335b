/** The one timer that may delete machines, which is why it is a function of its own. */
export { collectGarbage as handler } from '../handlers/timer.ts';
