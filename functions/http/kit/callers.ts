/**
 * Who calls: the holder of the host's own token, who may do everything, or a cluster, which may speak of its own claims. A
 * cluster shows a bearer token, a client certificate or, at its webhook, a secret in the path: most API servers can be given
 * no credentials for a webhook but a URL.
 */

import type { Context } from 'hono';
import { nodeCrypto } from '../../../shared/base/node-modules.ts';

/** What proves that a cluster calls. Each list may hold several, so that a new one is in use before the old one goes. */
export interface IntakeKeys {
  tokens: readonly string[];
  /** Only for the path of the webhook: whoever keeps a log of URLs has read them. */
  pathSecrets: readonly string[];
  /** Common name or DNS name of a client certificate that the host has verified. */
  certificateNames: readonly string[];
}

/** What the host knows about the connection of a request. */
export interface Peer {
  /** Of a certificate that was verified against the authority for clients; empty without one. */
  certificateNames: readonly string[];
}

export type Caller = { admin: true } | { admin: false; clusters: readonly string[] };

/** `missing`: the request shows nothing. `unset`: the host has no token of its own, so nobody can be its holder. */
export type Identified = Caller | 'missing' | 'wrong' | 'unset';

export interface Keys {
  /** Asked at every request, so that a host can rotate it. */
  token: () => string | undefined;
  intake?: ((cluster: string) => IntakeKeys) | undefined;
  clusters: readonly string[];
}

const webhookPath = /^\/v1\/webhook\/([^/]+)\/([^/]+)$/;

export function identify(c: Context, { token, intake, clusters }: Keys): Identified {
  const admin = token();
  const header = c.req.header('authorization') ?? '';
  const shown = /^Bearer +(\S+)$/i.exec(header)?.[1];
  // An empty token would be matched by an empty header: it counts as none.
  if (admin && shown !== undefined && isAmong(shown, [admin])) return { admin: true };
  const names = new Set(peerOf(c)?.certificateNames ?? []);
  const [, pathCluster, pathSecret] = webhookPath.exec(c.req.path) ?? [];
  const proven = clusters.filter((cluster) => {
    const keys = intake?.(cluster);
    if (!keys) return false;
    const byToken = shown !== undefined && isAmong(shown, keys.tokens);
    const byPath = cluster === pathCluster && pathSecret !== undefined && isAmong(pathSecret, keys.pathSecrets);
    return byToken || byPath || keys.certificateNames.some((name) => names.has(name));
  });
  if (proven.length > 0) return { admin: false, clusters: proven };
  if (!admin) return 'unset';
  return header === '' && pathSecret === undefined ? 'missing' : 'wrong';
}

/** Digests have one length, so the time tells nothing, not even how long a secret is; and every one is compared. */
export function isAmong(shown: string, valid: readonly string[]): boolean {
  const digest = sha256(shown);
  let found = false;
  for (const secret of valid) found = (secret !== '' && nodeCrypto().timingSafeEqual(digest, sha256(secret))) || found;
  return found;
}

const sha256 = (text: string): Buffer => nodeCrypto().createHash('sha256').update(text).digest();

function peerOf(c: Context): Peer | undefined {
  const env: unknown = c.env;
  return typeof env === 'object' && env !== null && 'certificateNames' in env ? (env as Peer) : undefined;
}

/** The path for a log: never with the secret of a webhook in it. */
export const shownPath = (path: string): string =>
  path.startsWith('/v1/webhook/')
    ? path
        .split('/')
        .slice(0, 4)
        .concat(path.split('/')[4] ? ['[redacted]'] : [])
        .join('/')
    : path;
