/** What a request shows of its caller; `shared/identity` says who that is. */

import type { Context } from 'hono';
import type { Shown } from '../../../shared/identity/callers.ts';

/** What the host knows about the connection of a request. */
export interface Peer {
  /** Of a certificate that was verified against the authority for clients; empty without one. */
  certificateNames: readonly string[];
}

const webhookPath = /^\/v1\/webhook(?:-defaults)?\/([^/]+)\/([^/]+)$/;

export function shownBy(c: Context): Shown {
  const header = c.req.header('authorization') ?? '';
  const [, cluster, secret] = webhookPath.exec(c.req.path) ?? [];
  return {
    bearer: /^Bearer +(\S+)$/i.exec(header)?.[1],
    hasHeader: header !== '',
    certificateNames: peerOf(c)?.certificateNames ?? [],
    path: cluster === undefined || secret === undefined ? undefined : { cluster, secret },
  };
}

function peerOf(c: Context): Peer | undefined {
  const env: unknown = c.env;
  return typeof env === 'object' && env !== null && 'certificateNames' in env ? (env as Peer) : undefined;
}

/** The path for a log: never with the secret of a webhook in it. */
export const shownPath = (path: string): string =>
  /^\/v1\/webhook(-defaults)?\//.test(path)
    ? path
        .split('/')
        .slice(0, 4)
        .concat(path.split('/')[4] ? ['[redacted]'] : [])
        .join('/')
    : path;
