/** Why there is no token: what Entra ID, the identity endpoint or the network said, and what to do about it. */

import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import type { Failure } from '../../base/result.ts';
import { redactSecrets } from '../../base/secrets/known-secrets.ts';
import { bodyText } from '../../net/foreign-body.ts';
import type { CredentialOptions } from './credential-options.ts';

/** What was last seen on the wire while a token was asked for. */
export interface LastAnswer {
  status?: number;
  /** What a refusal said; the library keeps it to itself. */
  text?: string;
  retryAfterSeconds?: number | undefined;
  /** There was no answer at all. */
  broken?: string;
}

/** Entra's own error numbers. */
const advice: Readonly<Record<string, string>> = {
  '90002': 'the tenant does not exist; check AZURE_TENANT_ID or tenant',
  '900023': 'the tenant id is invalid; check AZURE_TENANT_ID or tenant',
  '900021': 'the tenant id is invalid; check AZURE_TENANT_ID or tenant',
  '50020': 'the identity is in another tenant; check AZURE_TENANT_ID or tenant',
  '700016': 'the identity does not exist in the tenant; check AZURE_CLIENT_ID or credential.clientId, and the tenant',
  '7000215': 'the client secret is wrong; use the value of the secret, not its id',
  '7000222': 'the client secret has expired; create a new one',
  '7000112': 'the identity is disabled; enable it',
  '70021': 'the identity has no federated credential for this token; add one with this issuer and subject',
  '700211': 'the identity does not trust the issuer of the token; add a federated credential with this issuer',
  '700212': 'the federated credential has another audience; it must be api://AzureADTokenExchange',
  '700213': 'the identity does not trust the subject of the token; add a federated credential for this service account',
  '700024':
    "the federated token has expired; check that the kubelet renews the file and that this machine's clock is synchronized",
  '500011': 'the audience does not exist in the tenant; check cloud.audience and the cloud',
  '53003': 'a conditional access policy blocks the sign-in; exempt the identity',
};

const kinds: Record<CredentialOptions['type'], string> = {
  'workload-identity': 'workload identity',
  'managed-identity': 'the managed identity',
  'client-secret': 'the client secret',
  default: 'the default credential',
};

export function tokenFailure(
  error: unknown,
  options: CredentialOptions,
  last: LastAnswer,
  authorityHost: string,
): Failure {
  const text = `${errorText(error)} ${last.text ?? ''}`.trim();
  const who = `cannot get a token with ${kinds[options.type]}`;
  const code = /AADSTS(\d+)/.exec(text)?.[1];
  const known = code === undefined ? undefined : advice[code];
  const cause = scrub(text);
  if (known !== undefined) return { kind: 'unauthorised', message: `${who}: ${known} (AADSTS${code})`, cause };
  if (code === undefined && last.status === 429) {
    const pause = last.retryAfterSeconds;
    return {
      kind: 'throttled',
      message: `${who}: too many requests`,
      cause,
      ...defined({ retryAfterSeconds: pause }),
    };
  }
  // Whatever the credential is: an Entra ID that does not answer will answer again.
  if (last.broken?.includes(authorityHost)) {
    return { kind: 'unavailable', message: `${who}: ${last.broken}`, cause };
  }
  if (options.type === 'managed-identity' && last.broken !== undefined) {
    const message = `${who}: the identity endpoint does not respond; assign an identity to the app or VM, or use another credential.type`;
    return { kind: 'unauthorised', message, cause };
  }
  if (options.type === 'managed-identity' && (last.status === 400 || last.status === 404)) {
    const id = options.clientId ?? options.resourceId;
    const message =
      id === undefined
        ? `${who}: no identity is assigned; assign a system-assigned identity, or set AZURE_CLIENT_ID to a user-assigned one`
        : `${who}: ${id} is not assigned to this app or VM; assign it, or correct AZURE_CLIENT_ID`;
    return { kind: 'unauthorised', message, cause };
  }
  if (options.type === 'default' && code === undefined) {
    const message = `${who}: no credential was found; run az login, or set credential.type for a managed identity, workload identity or client secret`;
    return { kind: 'unauthorised', message, cause };
  }
  if (last.broken !== undefined) return { kind: 'unavailable', message: `${who}: ${last.broken}`, cause };
  if ((last.status ?? 0) >= 500)
    return { kind: 'unavailable', message: `${who}: the endpoint answered ${last.status}`, cause };
  return { kind: 'unauthorised', message: `${who}: ${cause}`, cause };
}

/** A file or a variable that was there at the start may be gone later. */
export const unreadableFailure = (what: string, error: unknown): Failure => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : errorText(error);
  return { kind: 'unauthorised', message: `${what} cannot be read (${code}); check its path and its permissions` };
};

const longest = 400;

/** Assertions and secrets have no business in a log, even when a library echoes them. */
function scrub(text: string): string {
  const clean = redactSecrets(text)
    .replace(/eyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '[redacted]')
    .replace(/(client_secret|client_assertion|assertion)=[^&\s]+/gi, '$1=[redacted]');
  return bodyText(clean, longest);
}
