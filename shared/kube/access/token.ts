/** The bearer token of a cluster: fixed, or from a file that somebody else renews. */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import type { Log } from '../../observe/log/log.ts';

export interface TokenSource {
  current(): string | undefined;
  /** Reads the file again, now. True if there is another token than before, so that one more try makes sense. */
  refresh(): boolean;
}

/** Kubernetes renews a mounted token when a fifth of its life is left, so a minute is early enough, and cheap. */
const rereadAfterMs = 60_000;

export function tokenSource(
  options: { token?: string | undefined; tokenFile?: string | undefined },
  clock: Clock,
  log: Log,
): TokenSource {
  const { token, tokenFile } = options;
  rememberSecret(token);
  if (tokenFile === undefined) return { current: () => token, refresh: () => false };

  let known = token;
  let readAt: number | undefined;
  const refresh = (): boolean => {
    readAt = clock.monotonic();
    try {
      const fresh = readFileSync(tokenFile, 'utf8').trim();
      if (fresh === '' || fresh === known) return false;
      rememberSecret(fresh);
      known = fresh;
      return true;
    } catch (error) {
      log.write('cluster.token-file.unreadable', { tokenFile, error });
      return false;
    }
  };
  return {
    current: () => {
      if (readAt === undefined || clock.monotonic() - readAt >= rereadAfterMs) refresh();
      return known;
    },
    refresh,
  };
}
