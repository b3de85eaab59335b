/**
 * What a host answers over HTTP while its configuration can't be used: alive, not ready, and why. The reason is for the holder of
 * the token alone, because it names what the configuration holds.
 */
import { redactSecrets } from '../../../shared/base/secrets/known-secrets.ts';
import { isAmong } from '../../../shared/identity/callers.ts';

export interface MisconfiguredRequest {
  path: string;
  authorization: string | undefined;
  /** What opens the HTTP API; undefined while it is not known. */
  token: string | undefined;
  /** What is wrong. */
  text: string;
  version: string;
}

export interface MisconfiguredAnswer {
  status: number;
  headers: Record<string, string>;
  json: Record<string, unknown>;
}

const hint = 'the configuration is invalid; see the log, or /readyz with the token';

export function misconfiguredAnswer(request: MisconfiguredRequest): MisconfiguredAnswer {
  const { path, authorization = '', token = '', text, version } = request;
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  if (path === '/healthz') return { status: 200, headers, json: { status: 'ok', version } };
  const shown = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const message = shown !== undefined && isAmong(shown, [token]) ? redactSecrets(text) : hint;
  if (path === '/readyz') {
    return { status: 503, headers, json: { ready: false, checks: { configuration: { ok: false, message } } } };
  }
  return {
    status: 503,
    headers: { ...headers, 'content-type': 'application/problem+json', 'retry-after': '60' },
    json: { type: 'about:blank', title: 'Misconfigured', status: 503, detail: message },
  };
}
