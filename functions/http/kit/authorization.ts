/** Who may call what. Only health and readiness answer to everybody. */
import type { Context, MiddlewareHandler } from 'hono';
import type { HttpEnv, HttpOptions } from '../options.ts';
import { type Caller, type Identified, identify } from './callers.ts';
import { clusterNames } from './known-names.ts';
import { problem } from './problem.ts';

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** What a cluster may call; the handlers see to it that it speaks of itself alone. */
const isForClusters = (path: string): boolean => path === '/v1/events' || path.startsWith('/v1/webhook/');

export const identifyWith = (c: Context, { token, intake, services }: HttpOptions): Identified =>
  identify(c, { token, intake, clusters: clusterNames(services) });

/** Leaves the caller at `c.get('caller')`. */
export function requireCaller(options: HttpOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (openPaths.has(c.req.path)) return next();
    const caller = identifyWith(c, options);
    if (typeof caller === 'object') {
      c.set('caller', caller);
      if (caller.admin || isForClusters(c.req.path)) return next();
      const detail = `This request is authenticated as ${named(caller.clusters)}, which may only send events and call its webhook. For everything else, use the host's token.`;
      return problem(c, 403, 'cluster-only', detail);
    }
    switch (caller) {
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
          {
            'www-authenticate': 'Bearer realm="poolwright"',
          },
        );
      case 'wrong':
        return problem(
          c,
          401,
          'token-wrong',
          'The token of this request is not valid for this host.',
          {},
          {
            'www-authenticate': 'Bearer realm="poolwright", error="invalid_token"',
          },
        );
    }
  };
}

/** Whether the caller may speak of this cluster; if not, the sentence that says so. */
export function foreign(caller: Caller, cluster: string): string | undefined {
  if (caller.admin || caller.clusters.includes(cluster)) return undefined;
  return `this request is authenticated as ${named(caller.clusters)} and must not send events about cluster ${JSON.stringify(cluster)}`;
}

const named = (clusters: readonly string[]): string =>
  `${clusters.length === 1 ? 'cluster' : 'clusters'} ${clusters.map((name) => JSON.stringify(name)).join(', ')}`;
