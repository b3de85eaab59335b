/** Which request a path names, and whether the caller may speak of it. */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Failure } from '../../../../shared/base/result.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { mayUse, type RequestCaller, teamOf } from '../../../../shared/clusters/policy/callers.ts';
import type { ClusterRequestServices, RequestPlace } from '../../../../shared/clusters/services.ts';
import type { Caller } from '../../../../shared/identity/callers.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { capitalized, unknownName } from '../../kit/known-names.ts';
import { problem } from '../../kit/problem.ts';
import { clusterUnreadable } from '../../kit/unreadable-cluster.ts';

export const clusterParam = z.string().min(1).max(253).openapi({
  description: 'Where the request is kept: the management cluster by its name in the configuration, or `state`.',
});

export const requestParams = z.object({
  cluster: clusterParam,
  namespace: z.string().min(1).max(63).openapi({ description: 'The team.' }),
  name: z.string().min(1).max(253),
});

export interface Asked {
  requests: ClusterRequestServices;
  place: RequestPlace;
}

const asRequestCaller = (caller: Caller): RequestCaller =>
  caller.kind === 'member'
    ? { name: caller.name, team: caller.team, admin: caller.role === 'admin' }
    : { name: '', admin: false };

/** The namespace of a caller; undefined where all are open. */
export const ownNamespace = (caller: Caller): string | undefined => teamOf(asRequestCaller(caller));

/** A problem, or what to work with. */
export function askedPlace(c: Context, { requests }: FunctionServices, cluster?: string): Asked | Response {
  if (requests === undefined || requests.places.length === 0) {
    const detail =
      'This deployment carries out no cluster requests. Set clusterRequests for a cluster in the configuration of the host.';
    return problem(c, 404, 'no-management-cluster', detail);
  }
  const [first, ...others] = requests.places;
  if (cluster === undefined && first !== undefined && others.length === 0) return { requests, place: first };
  const names = requests.places.map(({ name }) => name);
  if (cluster === undefined) {
    const detail = `Requests are kept in ${names.join(', ')}: name one with ?cluster=.`;
    return problem(c, 400, 'invalid-request', detail);
  }
  const place = requests.place(cluster);
  if (place !== undefined) return { requests, place };
  return problem(c, 404, 'unknown-cluster', asSentence(capitalized(unknownName('cluster', cluster, names))));
}

/** A problem where a namespace is that of another team. */
export function otherTeam(c: Context, namespace: string): Response | undefined {
  const caller = asRequestCaller(c.get('caller'));
  if (mayUse(caller, namespace)) return undefined;
  const detail = `This request is authenticated as ${JSON.stringify(caller.name)}, whose team is ${JSON.stringify(teamOf(caller))}. The namespace ${JSON.stringify(namespace)} belongs to another team.`;
  return problem(c, 403, 'other-team', detail);
}

/** What a store or an API server answered, if not with what was asked for. */
export function refuseStore(c: Context, { place }: Asked, name: string, failure: Failure): Response {
  switch (failure.kind) {
    case 'not-found':
      return problem(c, 404, 'unknown-cluster-request', `There is no request ${name} in ${place.name}.`);
    case 'invalid':
      return problem(c, 400, 'cluster-request-invalid', asSentence(capitalized(failure.message)));
    default:
      return clusterUnreadable(c, place.name, failure);
  }
}
