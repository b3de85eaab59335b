/**
 * Where credentials come from: variables, files, or the one Secret of the cluster that we may read. Files and the Secret are read again
 * now and then, and at once when CloudStack refuses what they said before. Whatever is read is known to the redaction.
 */
import { readFile } from 'node:fs/promises';
import { errorText } from '../../../base/error-text.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { rememberSecret } from '../../../base/secrets/known-secrets.ts';
import { untilAborted } from '../../../base/until-aborted.ts';
import { isSecretReference } from '../../../platforms/aws/secret-reference.ts';
import { isUnresolvedReference, unresolvedReferenceText } from '../../../platforms/azure/key-vault-reference.ts';
import { cloudStackCodes } from '../../../platforms/cloudstack/codes.ts';
import type { CloudStackCredentials, CredentialSource } from '../../../platforms/cloudstack/credentials.ts';
import type { ProviderContext } from '../../context.ts';
import { type AccessOptions, isApiUrl, type KeyPlace } from './options.ts';
import { secretKeys } from './secret.ts';

/** A rotated key works beside the old one for a while, or the old one is refused, and then it is read at once. */
const keepMs = 60_000;
/** A hundred claims whose key is refused ask for it once. */
const refusedMs = 5_000;
const readMs = 20_000;

export type SourceContext = Pick<ProviderContext, 'clock' | 'env' | 'secrets'>;

export function credentialSource(options: AccessOptions, context: SourceContext): CredentialSource {
  const { clock } = context;
  let known: { value: CloudStackCredentials; at: number } | undefined;
  let reading: Promise<Result<CloudStackCredentials>> | undefined;

  const read = async (): Promise<Result<CloudStackCredentials>> => {
    const answer = await readNow(options, context, AbortSignal.timeout(readMs));
    if (answer.ok) known = { value: remembered(answer.value), at: clock.monotonic() };
    return answer;
  };
  return {
    async get(signal, refused) {
      const maxAge = refused === undefined ? keepMs : refusedMs;
      if (known !== undefined && isFresh(known, clock, maxAge)) return ok(known.value);
      // Many may ask at once: one question serves all of them, and none can end it for the others.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      const answer = await untilAborted(reading, signal);
      if (answer?.ok) return answer;
      // What worked a minute ago most likely still does; an API server that is away must not stop CloudStack.
      if (known !== undefined && answer?.error.kind !== 'invalid') return ok(known.value);
      return answer ?? failed('unavailable', 'the credentials of CloudStack were not read in time');
    },
  };
}

const isFresh = ({ at }: { at: number }, clock: Clock, maxAge: number): boolean => clock.monotonic() - at < maxAge;

function remembered(credentials: CloudStackCredentials): CloudStackCredentials {
  rememberSecret(credentials.apiKey);
  rememberSecret(credentials.secretKey);
  return credentials;
}

async function readNow(
  { apiUrl, credentials }: AccessOptions,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Result<CloudStackCredentials>> {
  if (credentials.in === 'keys') {
    const apiKey = await readKey(credentials.apiKey, context);
    if (!apiKey.ok) return apiKey;
    const secretKey = await readKey(credentials.secretKey, context);
    if (!secretKey.ok) return secretKey;
    return ok({ apiUrl: apiUrl ?? '', apiKey: apiKey.value, secretKey: secretKey.value });
  }
  const where = `Secret ${credentials.namespace}/${credentials.name}`;
  const found = await context.secrets.read(credentials, signal);
  if (!found.ok) {
    const { kind, message, cause } = found.error;
    const repair = `create it with the keys ${Object.values(secretKeys).join(', ')}, or give the credentials in CLOUDSTACK_API_KEY and CLOUDSTACK_SECRET_KEY`;
    if (kind !== 'not-found' && kind !== 'unauthorised') return found;
    return unusable(
      `${message}; ${kind === 'not-found' ? repair : 'the role needs get on this one Secret (docs/rights.md)'}`,
      cause,
    );
  }
  const url = apiUrl ?? found.value[secretKeys.apiUrl]?.trim() ?? '';
  const apiKey = found.value[secretKeys.apiKey]?.trim() ?? '';
  const secretKey = found.value[secretKeys.secretKey]?.trim() ?? '';
  rememberSecret(apiKey);
  rememberSecret(secretKey);
  const missing = Object.entries({
    [secretKeys.apiUrl]: url,
    [secretKeys.apiKey]: apiKey,
    [secretKeys.secretKey]: secretKey,
  })
    .filter(([, value]) => value === '')
    .map(([key]) => key);
  if (missing.length > 0) return unusable(`${where} has no ${missing.join(', ')}; add it`);
  if (!isApiUrl(url)) return unusable(`${where}: ${secretKeys.apiUrl} is not an http:// or https:// URL; correct it`);
  return ok({ apiUrl: url, apiKey, secretKey });
}

const unusable = (message: string, cause?: string): Result<never> =>
  failed('unauthorised', message, {
    code: cloudStackCodes.credentials,
    reason: cloudStackCodes.credentials,
    ...(cause === undefined ? {} : { cause }),
  });

type KeyContext = Pick<SourceContext, 'clock' | 'env'>;

async function readKey(place: KeyPlace, context: KeyContext): Promise<Result<string>> {
  let value: string;
  const where = 'file' in place ? place.file : `the variable ${place.variable}`;
  if ('file' in place) {
    try {
      value = await readFile(place.file, 'utf8');
    } catch (error) {
      return unusable(`${where} cannot be read`, errorText(error));
    }
  } else value = context.env[place.variable] ?? '';
  const found = value.trim();
  return found === ''
    ? unusable(`${where} is empty; put the key of CloudStack there`)
    : resolved(found, where, context);
}

/** On AWS a variable may say where the secret lies; on Azure the platform replaces such a reference before we see it. */
async function resolved(value: string, where: string, { env, clock }: KeyContext): Promise<Result<string>> {
  if (isUnresolvedReference(value)) return unusable(`${where} ${unresolvedReferenceText}`);
  if (!isSecretReference(value)) return ok(value);
  const { openSecrets } = await import('../../../platforms/aws/secrets.ts');
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
  return openSecrets({ connection: { region }, env, clock }).read(value);
}
