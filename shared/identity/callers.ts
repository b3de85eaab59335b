/**
 * Who calls. A member is a person or a program with a role: the holder of the host's own token, or a caller of the configuration. A
 * cluster may speak of its own claims alone. It shows a bearer token, a client certificate or, at its webhook, a secret in the path:
 * most API servers can be given no credentials for a webhook but a URL.
 */
import { nodeCrypto } from '../base/node-modules.ts';
import type { Role } from './roles.ts';

/** What proves that a cluster calls. Each list may hold several, so that a new one is in use before the old one goes. */
export interface IntakeKeys {
  tokens: readonly string[];
  /** Only for the path of the webhook: every log of URLs has them. */
  pathSecrets: readonly string[];
  /** Common name or DNS name of a client certificate that the host has verified. */
  certificateNames: readonly string[];
}

/** A person or a program that the configuration names. */
export interface Member {
  readonly name: string;
  readonly role: Role;
  /** For the audit log; what belongs to a team comes with reservations. */
  readonly team?: string;
}

export interface MemberKeys extends Member {
  /** Asked at every request, so that they can be rotated. */
  tokens: () => readonly string[];
}

export type Caller = ({ kind: 'member' } & Member) | { kind: 'cluster'; clusters: readonly string[] };

/** What a request shows. */
export interface Shown {
  /** The token of `Authorization: Bearer`. */
  bearer: string | undefined;
  /** Whether there was such a header at all. */
  hasHeader: boolean;
  certificateNames: readonly string[];
  /** Of the path of a webhook. */
  path?: { cluster: string; secret: string } | undefined;
}

/** `missing`: the request shows nothing. `unset`: the host has no token at all, so no request can show a valid one. */
export type Identified = Caller | 'missing' | 'wrong' | 'unset';

export interface Keys {
  /** Asked at every request, so that a host can rotate it. */
  token: () => string | undefined;
  members?: readonly MemberKeys[] | undefined;
  intake?: ((cluster: string) => IntakeKeys) | undefined;
  clusters: readonly string[];
}

/** As the audit log names the holder of the host's own token; no caller of the configuration can have this name. */
export const hostTokenName = 'host-token';

export function identify(shown: Shown, { token, members = [], intake, clusters }: Keys): Identified {
  const { bearer, path } = shown;
  const admin = token();
  // An empty token would be matched by an empty header: it counts as none.
  if (admin && bearer !== undefined && isAmong(bearer, [admin])) {
    return { kind: 'member', name: hostTokenName, role: 'admin' };
  }
  // Every list is compared, whoever it is: the time must not tell whose token is nearly right.
  const found = members.filter(({ tokens }) => bearer !== undefined && isAmong(bearer, tokens()));
  const [member] = found;
  if (member) {
    const { name, role, team } = member;
    return { kind: 'member', name, role, ...(team === undefined ? {} : { team }) };
  }
  const names = new Set(shown.certificateNames);
  const proven = clusters.filter((cluster) => {
    const keys = intake?.(cluster);
    if (!keys) return false;
    const byToken = bearer !== undefined && isAmong(bearer, keys.tokens);
    const byPath = path !== undefined && cluster === path.cluster && isAmong(path.secret, keys.pathSecrets);
    return byToken || byPath || keys.certificateNames.some((name) => names.has(name));
  });
  if (proven.length > 0) return { kind: 'cluster', clusters: proven };
  if (!admin && members.length === 0) return 'unset';
  return shown.hasHeader || path !== undefined ? 'wrong' : 'missing';
}

/** Digests have one length, so the time tells nothing, not even how long a secret is; and every one is compared. */
export function isAmong(shown: string, valid: readonly string[]): boolean {
  const digest = sha256(shown);
  let found = false;
  for (const secret of valid) found = (secret !== '' && nodeCrypto().timingSafeEqual(digest, sha256(secret))) || found;
  return found;
}

const sha256 = (text: string): Buffer => nodeCrypto().createHash('sha256').update(text).digest();
