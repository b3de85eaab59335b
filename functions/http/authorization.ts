/** Who may call: the holder of the token. Only health and readiness answer to everybody. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import type { HttpOptions } from './options.ts';
import { problem } from './problem.ts';

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** `missing`: the request shows none. `unset`: the host has none, so nobody can be let in. */
export type Access = 'granted' | 'missing' | 'wrong' | 'unset';

export function accessOf(c: Context, token: HttpOptions['token']): Access {
  const expected = token();
  // An empty token would be matched by an empty header: it counts as none.
  if (!expected) return 'unset';
  const header = c.req.header('authorization') ?? '';
  if (header === '') return 'missing';
  const shown = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (shown === undefined) return 'wrong';
  // Digests have one length, so the time tells nothing, not even how long the token is.
  return timingSafeEqual(digest(shown), digest(expected)) ? 'granted' : 'wrong';
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function requireToken(token: HttpOptions['token']): MiddlewareHandler {
  return async (c, next) => {
    if (openPaths.has(c.req.path)) return next();
    switch (accessOf(c, token)) {
      case 'granted':
        return next();
      case 'unset':
        return problem(
          c,
          403,
          'no-token-configured',
          'This host has no token, so only /healthz and /readyz answer. Give it a token to use the rest.',
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
          'The token of this request is not the token of this host.',
          {},
          {
            'www-authenticate': 'Bearer realm="poolwright", error="invalid_token"',
          },
        );
    }
  };
}
