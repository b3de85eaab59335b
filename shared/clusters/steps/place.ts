/** Where a request is kept and carried out. In a cluster that another deployment owns every step waits: this is the one place that sees to it. */
import { longestRetryAfterSeconds } from '../../base/backoff.ts';
import type { Failure } from '../../base/result.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import type { Again } from './answers.ts';

/** Long enough that nobody floods the log, short enough that a repaired configuration is noticed. */
const misconfiguredSeconds = 60;
const readOnlySeconds = 15;

export async function findPlace(services: ClusterRequestServices, ref: RequestRef): Promise<RequestPlace | Again> {
  const place = services.place(ref.cluster);
  if (place === undefined) {
    const why = `cluster ${ref.cluster} is not configured for cluster requests`;
    return { do: 'again', seconds: misconfiguredSeconds, why };
  }
  // The state belongs to this deployment alone.
  if (place.api === undefined) return place;
  const standing = await services.ownership.standing(ref.cluster);
  return standing.acts ? place : { do: 'again', seconds: readOnlySeconds, why: standing.why };
}

export const isAgain = (found: RequestPlace | Again): found is Again => 'do' in found;

/** A failed read or write means nothing but "later". */
export const againAfter = ({ message, retryAfterSeconds = 0 }: Failure, seconds = 2): Again => ({
  do: 'again',
  seconds: Math.min(Math.max(seconds, retryAfterSeconds), longestRetryAfterSeconds),
  why: message,
});

export const logFor = (services: ClusterRequestServices, { cluster, namespace, name, uid }: RequestRef) =>
  services.log.child({ cluster, request: `${namespace}/${name}`, uid });
