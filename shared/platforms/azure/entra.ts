/** Tokens from Entra ID by Microsoft's identity library, which is loaded when the first token is needed. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import type { TokenCredential } from '@azure/core-auth';
import type { HttpClient } from '@azure/core-rest-pipeline';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { type Cloud, isKnownAuthority } from './clouds.ts';
import type { AzureToken, TokenIssuer } from './credential.ts';
import type { CredentialOptions } from './credential-options.ts';
import { type LastAnswer, tokenFailure, unreadableFailure } from './entra-errors.ts';
import { isUnresolvedReference, unresolvedReferenceText } from './key-vault-reference.ts';
import { retryAfterOf } from './retry-after.ts';
import type { Transport } from './transport.ts';
import { userAgent } from './user-agent.ts';

export interface EntraOptions {
  credential: CredentialOptions;
  cloud: Cloud;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  transport(): Promise<Transport>;
}

export function createEntraIssuer(options: EntraOptions): TokenIssuer {
  let current: Promise<Result<TokenCredential>> | undefined;

  return {
    issue: async (scope, { fresh, claims }) => {
      // Its caches can't be told to forget; so a new one is made, which has none, and which reads secrets again.
      if (fresh || current === undefined) current = makeCredential(options);
      const made = await current;
      if (!made.ok) {
        current = undefined;
        return made;
      }
      const last: LastAnswer = {};
      const { value: credential } = made;
      try {
        const token = await met.run(last, () => credential.getToken(scope, claims === undefined ? {} : { claims }));
        if (token === null) throw new Error('the response has no token');
        const { refreshAfterTimestamp: refreshAt } = token;
        const issued: AzureToken = { token: token.token, expiresAt: token.expiresOnTimestamp };
        return ok(refreshAt === undefined ? issued : { ...issued, refreshAt });
      } catch (error) {
        current = undefined;
        return {
          ok: false,
          error:
            error instanceof UnreadableError
              ? error.failure
              : tokenFailure(error, options.credential, last, options.cloud.authorityHost),
        };
      }
    },
  };
}

class UnreadableError extends Error {
  readonly failure;

  constructor(what: string, cause: unknown) {
    const failure = unreadableFailure(what, cause);
    super(failure.message);
    this.failure = failure;
  }
}

async function makeCredential(options: EntraOptions): Promise<Result<TokenCredential>> {
  const { credential, cloud, env } = options;
  const identity = await import('@azure/identity');
  const usual = {
    authorityHost: cloud.authorityHost,
    httpClient: watched(await options.transport(), options.clock),
    // The workflow has its own pauses; a library that waits for minutes would only hold up a function.
    retryOptions: { maxRetries: 1, maxRetryDelayInMs: 1000 },
    // A private authority is unknown to the public list of authorities.
    disableInstanceDiscovery: !isKnownAuthority(cloud.authorityHost),
  };
  switch (credential.type) {
    case 'workload-identity': {
      // The kubelet renews the file, so it is read for every exchange.
      const assertion = async (): Promise<string> => {
        let text: string;
        try {
          text = readFileSync(credential.tokenFile, 'utf8').trim();
        } catch (error) {
          throw new UnreadableError(`the federated token file ${credential.tokenFile}`, error);
        }
        if (text === '')
          throw new UnreadableError(`the federated token file ${credential.tokenFile}`, new Error('it is empty'));
        rememberSecret(text);
        return text;
      };
      return ok(new identity.ClientAssertionCredential(credential.tenant, credential.clientId, assertion, usual));
    }
    case 'client-secret': {
      const secret = readSecret(credential.secret, env);
      if (secret.ok) rememberSecret(secret.value);
      return secret.ok
        ? ok(new identity.ClientSecretCredential(credential.tenant, credential.clientId, secret.value, usual))
        : secret;
    }
    case 'managed-identity': {
      const { clientId, resourceId } = credential;
      // The platform knows us by them; whoever has one gets tokens too.
      rememberSecret(env.IDENTITY_HEADER);
      rememberSecret(env.MSI_SECRET);
      const common = { ...usual, httpClient: watched(await localTransport(), options.clock) };
      if (resourceId !== undefined) return ok(new identity.ManagedIdentityCredential({ ...common, resourceId }));
      return ok(new identity.ManagedIdentityCredential(clientId === undefined ? common : { ...common, clientId }));
    }
    case 'default': {
      const { tenant, clientId } = credential;
      return ok(
        new identity.DefaultAzureCredential({
          ...usual,
          ...defined({ tenantId: tenant }),
          ...(clientId === undefined ? {} : { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
        }),
      );
    }
  }
}

function readSecret(
  secret: { variable: string } | { file: string },
  env: Readonly<Record<string, string | undefined>>,
): Result<string> {
  if ('variable' in secret) {
    const value = env[secret.variable] ?? '';
    if (value === '') return failed('unauthorised', `${secret.variable}: is empty; it must contain the client secret`);
    if (isUnresolvedReference(value)) return failed('unauthorised', `${secret.variable}: ${unresolvedReferenceText}`);
    return ok(value);
  }
  try {
    const value = readFileSync(secret.file, 'utf8').trim();
    if (value !== '') return ok(value);
    return failed('unauthorised', `the secret file ${secret.file} is empty; put the client secret into it`);
  } catch (error) {
    return { ok: false, error: unreadableFailure(`the secret file ${secret.file}`, error) };
  }
}

/** What the call that runs now has met on the wire. */
const met = new AsyncLocalStorage<LastAnswer>();

/** The library wraps what it meets on the way in errors of its own; this remembers what it really met. */
function watched(transport: Transport, clock: Clock): HttpClient {
  return {
    sendRequest: async (request) => {
      const last = met.getStore() ?? {};
      try {
        const answer = await transport.sendRequest(request);
        last.status = answer.status;
        last.text = answer.status < 400 ? '' : (answer.bodyAsText ?? '');
        last.retryAfterSeconds = retryAfterOf(answer.headers.toJSON(), clock);
        delete last.broken;
        return answer;
      } catch (error) {
        last.broken = errorText(error);
        throw error;
      }
    },
  };
}

/**
 * For managed identities: the library keeps the first one's client for the whole process, so that one must never be closed.
 * What answers is the platform itself, on this machine, and no proxy leads there.
 */
let local: Promise<Transport> | undefined;
function localTransport(): Promise<Transport> {
  local ??= import('./transport.ts').then(({ createTransport }) => createTransport({ env: {}, userAgent }));
  return local;
}
