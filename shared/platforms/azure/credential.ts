/**
 * Tokens, kept for as long as they are good. One request at a time fetches a token that all others wait for; a token is
 * renewed before it ends, while the old one still serves; and one that was refused is replaced once.
 */

import { errorText } from '../../base/error-text.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { unlessAborted } from '../../base/until-aborted.ts';

/** The caller may go; the work goes on for the others. */
const givenUp = 'the wait for a token was given up by the caller';

export interface AzureToken {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** When the issuer would like to be asked again. */
  refreshAt?: number;
}

/** Whoever hands out tokens. */
export interface TokenIssuer {
  /** `fresh`: another one than before, if there is a way; `claims`: what the refusing side wants to see in it. */
  issue(scope: string, options: { fresh: boolean; claims?: string | undefined }): Promise<Result<AzureToken>>;
}

export interface AzureCredential {
  token(scope: string, signal?: AbortSignal): Promise<Result<AzureToken>>;
  /** Another token than the refused one, or undefined if there is none to be had. */
  renew(scope: string, refused: string, claims?: string, signal?: AbortSignal): Promise<AzureToken | undefined>;
}

/** A clock may be off by some minutes, on either side. */
const earlyMs = 5 * 60_000;
const lastMomentMs = 30_000;
/**
 * A token that has just been issued is good for a while whatever our clock says: with a clock that runs ahead every token
 * would look expired, and each call would fetch a new one.
 */
const trustMs = 60_000;
/** Whoever has just refused us is not asked again at once. */
const pauseMs = 5000;
/** Who refuses a token that was made for him just now would refuse the next one too. */
const renewPauseMs = 30_000;

interface Known {
  value: AzureToken;
  issuedAt: number;
}

export function createCredential(issuer: TokenIssuer, clock: Clock): AzureCredential {
  const known = new Map<string, Known>();
  const running = new Map<string, Promise<Result<AzureToken>>>();
  const failures = new Map<string, { at: number; failure: Result<never> }>();
  const renewedAt = new Map<string, number>();

  const fetch = (scope: string, fresh: boolean, claims?: string): Promise<Result<AzureToken>> => {
    const started = running.get(scope);
    if (started !== undefined) return started;
    const last = failures.get(scope);
    if (last !== undefined && clock.monotonic() - last.at < pauseMs) return Promise.resolve(last.failure);
    const work = issuer
      .issue(scope, { fresh, claims })
      .catch((error: unknown): Result<never> => {
        const cause = errorText(error);
        return failed('unavailable', 'a token cannot be requested', { cause });
      })
      .then((issued) => {
        if (issued.ok) {
          rememberSecret(issued.value.token);
          known.set(scope, { value: issued.value, issuedAt: clock.monotonic() });
          failures.delete(scope);
        } else failures.set(scope, { at: clock.monotonic(), failure: issued });
        return issued;
      })
      .finally(() => running.delete(scope));
    running.set(scope, work);
    return work;
  };

  return {
    token: async (scope, signal) => {
      const found = known.get(scope);
      if (found !== undefined) {
        const { value, issuedAt } = found;
        const left = value.expiresAt - clock.now();
        const isNew = clock.monotonic() - issuedAt < trustMs;
        const soon = left < earlyMs || (value.refreshAt !== undefined && value.refreshAt < clock.now());
        if (isNew) return ok(value);
        if (left > lastMomentMs) {
          // The old one serves until the new one is there; a failure shows when it is over.
          if (soon) void fetch(scope, false);
          return ok(value);
        }
      }
      return unlessAborted(fetch(scope, false), signal, givenUp);
    },
    renew: async (scope, refused, claims, signal) => {
      const current = known.get(scope)?.value;
      // Somebody else was refused before us and has a new one already.
      if (current !== undefined && current.token !== refused) return current;
      const last = renewedAt.get(scope);
      if (!running.has(scope) && last !== undefined && clock.monotonic() - last < renewPauseMs) return undefined;
      renewedAt.set(scope, clock.monotonic());
      const renewed = await unlessAborted(fetch(scope, true, claims), signal, givenUp);
      return renewed.ok && renewed.value.token !== refused ? renewed.value : undefined;
    },
  };
}
