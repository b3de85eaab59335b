/** Whether the timers of a cluster run. */

import type { Check } from '../../../../../shared/base/checks.ts';
import { formatSeconds } from '../../../../../shared/base/durations.ts';
import type { FunctionServices } from '../../../../declaration.ts';
import { type Heartbeat, heartbeatsOf, thinnedSeconds } from '../../../../reconcilers/heartbeat.ts';

/** As the reconcilers call themselves, and what does not happen without each. */
export const expectedTimers: Readonly<Record<string, string>> = {
  ownership: 'the Lease is renewed only when a claim needs it',
  resync: 'claims whose event was lost wait forever',
  'node-classes': 'changes of node classes are not noticed',
  'static-pools': 'static pools are not kept at their replicas',
  expiration: 'claims outlive their expireAfter',
  'refresh-offerings': 'prices and sizes become outdated',
  'garbage-collection': 'instances without a claim are not found',
  'cluster-requests': 'requests for clusters whose event was lost wait forever, and lifetimes do not end',
  'virtual-machines': 'virtual machines whose event was lost wait forever, and what vanished is not made again',
  'machine-providers': 'the health of Providers of virtual machines is not known, and their certificates expire',
};

/** Two runs may be missed for a good reason, such as a deployment. */
const missedRuns = 3;
const slackSeconds = 60;

export async function timerChecks(services: FunctionServices, cluster: string): Promise<Check[]> {
  const { state, clock, requests } = services;
  const beats = await heartbeatsOf(state, cluster);
  /** These run only where what they look after is carried out. */
  const runs: Readonly<Record<string, boolean>> = {
    'cluster-requests': requests?.place(cluster) !== undefined,
    'virtual-machines': services.machines?.place(cluster) !== undefined,
    'machine-providers': services.runsProviders?.(cluster) === true,
  };
  const expected = Object.entries(expectedTimers).filter(([timer]) => runs[timer] !== false);
  return expected.map(([timer, without]) =>
    judge(`cluster ${cluster}: timer ${timer}`, without, beats.get(timer), clock.now()),
  );
}

function judge(name: string, without: string, beat: Heartbeat | undefined, now: number): Check {
  if (beat === undefined) {
    const message = `it has not run yet; if this does not change, ${without}`;
    return { name, state: 'warn', message, code: 'TimerLate', repair: repairLate };
  }
  const ageSeconds = Math.max(0, Math.round((now - beat.at) / 1000));
  const runs = `it runs every ${formatSeconds(beat.everySeconds)}`;
  const age = `${formatSeconds(ageSeconds)} ago`;
  if (ageSeconds > beat.everySeconds * missedRuns + thinnedSeconds + slackSeconds) {
    const message = `it last ran ${age}, although ${runs}: ${without}`;
    return { name, state: 'fail', message, code: 'TimerLate', repair: repairLate };
  }
  if (!beat.ok) {
    const message = `the run ${age} failed: ${beat.error ?? 'reason unknown'}`;
    return { name, state: 'warn', message, code: 'TimerFailing', repair: 'poolwright logs' };
  }
  // Not every run is written down, so this is no lateness.
  return { name, state: 'pass', message: `${runs}; it last ran ${age}` };
}

const repairLate =
  'check that the host is running and its timer triggers are enabled, then run poolwright doctor again';
