/** Whether events are handled, and what was put apart. */

import type { Check } from '../../../../../shared/base/checks.ts';
import { formatSeconds } from '../../../../../shared/base/durations.ts';
import type { FunctionServices } from '../../../../declaration.ts';

/** An event is handled within seconds; what waits so long waits for a host that does not come. */
const lateSeconds = 300;

export async function queueChecks({ events }: FunctionServices): Promise<Check[]> {
  const { ready, delayed, inFlight, dead, oldestAgeMs } = await events.stats();
  const oldest = Math.round(oldestAgeMs / 1000);
  const depth = `${ready} waiting, ${inFlight} in progress, ${delayed} delayed`;
  const name = `queue ${events.name}`;
  const age = oldest > 0 ? `; the oldest has been waiting for ${formatSeconds(oldest)}` : '';
  const depthCheck: Check =
    oldest > lateSeconds
      ? {
          name,
          state: 'fail',
          message: `events are not being processed: ${depth}${age}`,
          code: 'QueueLate',
          repair: 'check that the function that processes events is running: poolwright logs',
        }
      : { name, state: 'pass', message: `${depth}${age}` };
  const letters: Check =
    dead > 0
      ? {
          name: `${name}: dead letters`,
          state: 'warn',
          message: `${dead} ${dead === 1 ? 'message was' : 'messages were'} dead-lettered because ${dead === 1 ? 'it' : 'they'} could not be processed`,
          code: 'DeadLettered',
          repair: 'poolwright deadletters list',
        }
      : { name: `${name}: dead letters`, state: 'pass', message: 'none' };
  return [depthCheck, letters];
}
