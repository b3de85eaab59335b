/**
 * The line before a management server. Its limit is the account's, whatever is called, so all providers of one process that are the same
 * account there stand in one line.
 */
import { RecentMap } from '../../base/recent-map.ts';
import type { Clock } from '../../base/runtime.ts';
import type { CloudStackPace } from '../../platforms/cloudstack/client.ts';
import { createPace } from '../calls/request-pace.ts';
import type { ProviderContext } from '../context.ts';

/** By the clock of the process, so that tests, which share one, do not share their lines. */
const lines = new WeakMap<Clock, RecentMap<string, CloudStackPace>>();
const mostAccounts = 100;
const action = 'requests';

export interface PaceOptions {
  requestsPerSecond: number;
  patienceMs?: number | undefined;
}

export function paceFor(
  account: string,
  { requestsPerSecond, patienceMs }: PaceOptions,
  { clock, random, state }: Pick<ProviderContext, 'clock' | 'random' | 'state'>,
): CloudStackPace {
  const ofClock = lines.get(clock) ?? new RecentMap<string, CloudStackPace>({ max: mostAccounts });
  lines.set(clock, ofClock);
  const key = `${account}/${requestsPerSecond}/${patienceMs ?? ''}`;
  const known = ofClock.get(key);
  if (known !== undefined) return known;
  const pace = createPace({
    cloud: 'CloudStack',
    // CloudStack counts in windows of a second from the first call on, so a burst at the end of one and the beginning of the next is too much.
    rateOf: () => ({ burst: 1, perSecond: requestsPerSecond }),
    isShared: () => false,
    // Others of the account use up the limit as well, but CloudStack says when the next interval begins.
    mostStrikes: 1,
    clock,
    random,
    state,
    scope: `cloudstack/bucket/${account}`,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  const line: CloudStackPace = {
    enter: (who, signal) => pace.enter(action, who, signal),
    reserve: (who) => pace.reserve(action, who),
    refused: (seconds) => pace.refused(action, seconds),
  };
  ofClock.set(key, line);
  return line;
}
