/** Who may call what, as each route declares it. */
import type { Context, MiddlewareHandler } from 'hono';
import { actionOf, judge, roleFor } from '../../../shared/identity/access.ts';
import { type Caller, type Identified, identify } from '../../../shared/identity/callers.ts';
import type { HttpApp, HttpEnv, HttpOptions } from '../options.ts';
import { type Accesses, accessesOf, accessTo } from './api-route.ts';
import { audited } from './audited.ts';
import { shownBy } from './callers.ts';
import { clusterNames } from './known-names.ts';
import { problem } from './problem.ts';

export const identifyWith = (c: Context, { token, members, intake, services }: HttpOptions): Identified =>
  identify(shownBy(c), { token, members: members(), intake, clusters: clusterNames(services) });

/** Leaves the caller at `c.get('caller')`. */
export function requireCaller(app: HttpApp, options: HttpOptions): MiddlewareHandler<HttpEnv> {
  let accesses: Accesses | undefined;
  return async (c, next) => {
    // At the first request: the routes are added after this.
    accesses ??= accessesOf(app);
    const access = accessTo(c, accesses);
    if (access === 'open') return next();
    const caller = identifyWith(c, options);
    if (typeof caller === 'string') return refuseStranger(c, caller);
    c.set('caller', caller);
    // A route that declares nothing is shut; a test sees to it that there is none.
    if (access === undefined) return problem(c, 403, 'role-too-low', 'This path declares no role, so it is shut.');
    const asked = access === 'none' ? undefined : access;
    const verdict = judge(caller, asked);
    if (verdict !== 'allowed') {
      options.services.log.write('http.denied', { caller: nameOf(caller), method: c.req.method, path: c.req.path });
    }
    switch (verdict) {
      case 'cluster-only':
        return problem(
          c,
          403,
          'cluster-only',
          `This request is authenticated as ${nameOf(caller)}, which may only send events and call its webhook. For everything else, use the host's token.`,
        );
      case 'role-too-low':
        return problem(
          c,
          403,
          'role-too-low',
          `This request is authenticated as ${nameOf(caller)}. It needs the role ${asked === undefined ? 'read' : roleFor(asked)}: use a token of a caller with that role.`,
        );
      case 'allowed':
    }
    const action = actionOf(asked);
    return action === undefined || caller.kind !== 'member' ? next() : audited(c, next, options, caller, action);
  };
}

function refuseStranger(c: Context, stranger: Extract<Identified, string>) {
  switch (stranger) {
    case 'unset':
      return problem(
        c,
        403,
        'no-token-configured',
        'This host has no token, so it serves only /healthz and /readyz. Configure a token to use the other paths.',
      );
    case 'missing':
      return problem(
        c,
        401,
        'token-missing',
        'Send the token as "Authorization: Bearer <token>".',
        {},
        { 'www-authenticate': 'Bearer realm="poolwright"' },
      );
    case 'wrong':
      return problem(
        c,
        401,
        'token-wrong',
        'The token of this request is not valid for this host.',
        {},
        { 'www-authenticate': 'Bearer realm="poolwright", error="invalid_token"' },
      );
  }
}

/** Whether the caller may speak of this cluster; if not, the sentence that says so. */
export function foreign(caller: Caller, cluster: string): string | undefined {
  if (caller.kind === 'member' || caller.clusters.includes(cluster)) return undefined;
  return `this request is authenticated as ${nameOf(caller)} and must not send events about cluster ${JSON.stringify(cluster)}`;
}

const nameOf = (caller: Caller): string => {
  if (caller.kind === 'member') return `caller ${JSON.stringify(caller.name)} with the role ${caller.role}`;
  const names = caller.clusters.map((name) => JSON.stringify(name)).join(', ');
  return `${caller.clusters.length === 1 ? 'cluster' : 'clusters'} ${names}`;
};
