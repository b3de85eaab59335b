/**
 * Secrets that lie at AWS, read when they are first needed and kept for a while. One that can't be read again stays as it was:
 * it most likely still opens what it opened, and its holder asks for a fresh one when it does not. No secret is ever part
 * of an error.
 */
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { rememberPrivateKey } from '../../base/secrets/remember-parts.ts';
import { type AwsClientOptions, type AwsConnection, clientOptions } from './client-options.ts';
import { atEndpoint } from './endpoint.ts';
import { awsProblem } from './errors.ts';
import { parseSecretReference, type SecretReference, storeNames } from './secret-reference.ts';

export interface SecretsOptions {
  /** Its region is that of references without one. */
  connection: AwsConnection;
  /** Where the variables of the SDKs may say that a service is elsewhere. */
  env?: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** For how long a reading serves (default 300). */
  keepSeconds?: number;
}

export interface Secrets {
  /** @param options `renew`: what was read last was refused somewhere, so it must not come out of the memory. */
  read(reference: string, options?: { renew?: boolean }): Promise<Result<string>>;
}

interface Kept {
  value: string;
  until: number;
}

const defaultKeepSeconds = 300;
/** Reading has no effect, so the client may try again by itself. */
const requests = { maxAttempts: 3, timeoutMs: 5_000 };

/**
 * @example
 * const secrets = openSecrets({ connection: { region: 'eu-west-1' }, clock });
 * const token = await secrets.read('secretsmanager:poolwright/production#token');
 */
export function openSecrets(options: SecretsOptions): Secrets {
  const { connection, env = {}, clock, keepSeconds = defaultKeepSeconds } = options;
  const kept = new Map<string, Kept>();
  /** One request for all who wait. */
  const running = new Map<string, Promise<Result<string>>>();

  const fetchNow = async (reference: SecretReference): Promise<Result<string>> => {
    const there = atEndpoint(
      { ...connection, region: reference.region ?? connection.region },
      endpointNames[reference.store],
      env,
    );
    const found = await textOf(there, reference);
    return found.ok ? partOf(found.value, reference) : found;
  };

  const renewed = async (reference: SecretReference): Promise<Result<string>> => {
    const found = await fetchNow(reference);
    if (found.ok) {
      rememberFetched(found.value);
      kept.set(reference.text, { value: found.value, until: clock.monotonic() + keepSeconds * 1000 });
      return found;
    }
    const last = kept.get(reference.text);
    return last === undefined ? found : ok(last.value);
  };

  return {
    async read(text, { renew = false } = {}) {
      const last = kept.get(text);
      if (last !== undefined && !renew && clock.monotonic() < last.until) return ok(last.value);
      const reference = parseSecretReference(text);
      if (!reference.ok) return reference;
      let reading = running.get(text);
      if (reading === undefined) {
        reading = renewed(reference.value).finally(() => running.delete(text));
        running.set(text, reading);
      }
      return reading;
    },
  };
}

/** A configuration or a kubeconfig may be kept as a secret too: who reads it remembers the secrets in it. */
function rememberFetched(value: string): void {
  if (!value.trim().includes('\n')) rememberSecret(value);
  rememberPrivateKey(value);
}

/** As the variables of the SDKs name the services: `AWS_ENDPOINT_URL_SSM`. */
const endpointNames = { secretsmanager: 'SECRETS_MANAGER', ssm: 'SSM' } as const;

/** Each in a file of its own, so that a bundle loads of the SDKs only what a reference needs. */
const stores = {
  secretsmanager: async () => (await import('./secrets-manager.ts')).readSecret,
  ssm: async () => (await import('./parameter-store.ts')).readParameter,
} as const;

/** Undefined where there is no text. */
export type ReadStore = (options: AwsClientOptions, id: string) => Promise<string | undefined>;

async function textOf(connection: AwsConnection, reference: SecretReference): Promise<Result<string>> {
  try {
    const readStore: ReadStore = await stores[reference.store]();
    const value = await readStore(clientOptions(connection, requests), reference.id);
    return value === undefined
      ? failed('invalid', secretProblem(reference, 'must contain text, and contains none'))
      : ok(value);
  } catch (error) {
    return { ok: false, error: failureOf(error, reference, connection.region) };
  }
}

const secretProblem = ({ text }: SecretReference, what: string): string => `the secret ${text} ${what}`;

function partOf(value: string, reference: SecretReference): Result<string> {
  const { key } = reference;
  if (key === undefined) {
    return value === '' ? failed('invalid', secretProblem(reference, 'is empty')) : ok(value);
  }
  let content: unknown;
  try {
    content = JSON.parse(value);
  } catch {
    // The parser's own message quotes what it stumbled over.
    return failed('invalid', secretProblem(reference, `is not JSON, so it has no key ${JSON.stringify(key)}`));
  }
  const isObject = typeof content === 'object' && content !== null && Object.hasOwn(content, key);
  const part: unknown = isObject ? Reflect.get(Object(content), key) : undefined;
  if (typeof part === 'string' && part !== '') return ok(part);
  return failed('invalid', secretProblem(reference, `has no text under the key ${JSON.stringify(key)}`));
}

const rights = { secretsmanager: 'secretsmanager:GetSecretValue', ssm: 'ssm:GetParameter' } as const;

function failureOf(error: unknown, reference: SecretReference, region: string): Failure {
  const { store } = reference;
  const { code, text, answered } = awsProblem(error);
  switch (code) {
    case 'AccessDeniedException':
    case 'AccessDenied': {
      const action = /perform: ([\w-]+:\w+)/.exec(text)?.[1] ?? rights[store];
      const message = `can't be read: the identity lacks the permission ${action} on it (and kms:Decrypt, if it is encrypted with your own key)`;
      return { kind: 'unauthorised', message: secretProblem(reference, message) };
    }
    case 'ResourceNotFoundException':
    case 'ParameterNotFound':
      return {
        kind: 'not-found',
        message: secretProblem(
          reference,
          `is not in ${storeNames[store]} of ${region}; check its name, region and account`,
        ),
      };
    case 'DecryptionFailure':
    case 'InvalidKeyId':
      return {
        kind: 'unauthorised',
        message: secretProblem(reference, "can't be decrypted: the identity needs kms:Decrypt"),
      };
    case 'InvalidRequestException':
      return {
        kind: 'invalid',
        message: secretProblem(reference, 'is marked for deletion; restore it, or use another one'),
      };
    default: {
      const what = answered
        ? `${storeNames[store]} answered ${code}`
        : `${storeNames[store]} can't be reached: ${text}`;
      return { kind: 'unavailable', message: secretProblem(reference, `can't be read now: ${what}`) };
    }
  }
}
