/** Who may ask, and the tokens that say so: made here, believed here. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, Ids } from '../../../shared/base/runtime.ts';

export interface Principal {
  clientId: string;
  tenant: string;
  /** As the answers name it. */
  objectId: string;
  /** Undefined: it has none, and signs in otherwise. */
  secret?: string;
  /** The subjects (`system:serviceaccount:…`) whose assertions stand for it; `*` is any. */
  federated?: readonly string[];
  /** A managed identity of the machine: the one it has by itself, or one that was given to it. */
  managed?: 'system' | 'user';
  /** Actions that it may not do; `*` at the end stands for any rest. */
  denied: readonly string[];
}

export type PrincipalOptions = Omit<Principal, 'objectId' | 'denied'> & Partial<Principal>;

export const standInTenant = '22222222-2222-4222-8222-222222222222';

/** It can sign in with a secret, with an assertion, and as the machine's own identity. */
export const defaultPrincipal: PrincipalOptions = {
  clientId: '33333333-3333-4333-8333-333333333333',
  tenant: standInTenant,
  secret: 'a-secret-of-the-stand-in',
  federated: ['*'],
  managed: 'system',
};

export interface TokenFacts {
  principal: Principal;
  /** Without the `/.default`. */
  audience: string;
  expiresAt: number;
}

export type TokenCheck = { ok: true; facts: TokenFacts } | { ok: false; why: 'missing' | 'invalid' | 'expired' };

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export class Tokens {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #principals: readonly Principal[];
  /** Tokens made before this are no longer believed. */
  #revokedUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: { clock: Clock; ids: Ids; principals: readonly Principal[] }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#principals = parts.principals;
    this.#key = parts.ids.next();
  }

  issue(principal: Principal, audience: string, seconds: number): string {
    const now = this.#clock.now();
    const body = [
      { alg: 'HS256', typ: 'JWT' },
      {
        aud: audience,
        iss: `https://sts.windows.net/${principal.tenant}/`,
        iat: Math.floor(now / 1000),
        exp: Math.floor((now + seconds * 1000) / 1000),
        appid: principal.clientId,
        oid: principal.objectId,
        tid: principal.tenant,
        uti: this.#ids.next(),
        madeAt: now,
        endsAt: now + seconds * 1000,
      },
    ].map(encode);
    return `${body.join('.')}.${this.#sign(body.join('.'))}`;
  }

  /** Everything that was given out so far is void from now on. */
  revoke(): void {
    this.#revokedUntil = this.#clock.now();
  }

  check(authorization: string | undefined): TokenCheck {
    const [, token] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return { ok: false, why: 'missing' };
    const [head = '', body = '', signature = ''] = token.split('.');
    const given = Buffer.from(signature);
    const right = Buffer.from(this.#sign(`${head}.${body}`));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return { ok: false, why: 'invalid' };
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, string> & {
      madeAt: number;
      endsAt: number;
    };
    const principal = this.#principals.find(
      ({ clientId, tenant }) => clientId === claims.appid && tenant === claims.tid,
    );
    if (principal === undefined) return { ok: false, why: 'invalid' };
    if (claims.endsAt <= this.#clock.now() || claims.madeAt <= this.#revokedUntil) return { ok: false, why: 'expired' };
    return { ok: true, facts: { principal, audience: claims.aud ?? '', expiresAt: claims.endsAt } };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
