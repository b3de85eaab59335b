/**
 * Which calls the bare client makes for each claim: those that the host was seen to make, counted by the world. So the
 * baseline follows the host when its calls change, and neither side can make fewer.
 */
import type { Calls } from '../harness/calls.ts';

/** How often each kind of call is made per claim; it need not be a whole number. */
export interface CallPlan {
  launch: Calls;
  terminate: Calls;
}

/** Rarer than this is a list or a refresh on a timer, which is the host's own and not a claim's. */
const leastPerClaim = 0.05;

/** Asked once when a cluster is connected, or to hold it; no claim costs any of it. */
const ofCluster = / (selfsubjectaccessreviews|customresourcedefinitions|leases)/;

export function perClaim(calls: Calls, claims: number): Calls {
  const entries = Object.entries(calls)
    .filter(([kind]) => !kind.startsWith('WATCH ') && !ofCluster.test(kind))
    .map(([kind, count]): [string, number] => [kind, count / claims])
    .filter(([, average]) => average >= leastPerClaim);
  return Object.fromEntries(entries);
}

/** Spreads an average evenly over claims: 1.25 is one call, and two for every fourth claim. */
export const timesFor = (average: number, index: number): number =>
  Math.floor((index + 1) * average) - Math.floor(index * average);
