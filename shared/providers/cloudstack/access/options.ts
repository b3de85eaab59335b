/** Where CloudStack is and who we are there, as options and variables say it. The keys themselves have no field, so that they stand in no file of ours. */
import { readFileSync } from 'node:fs';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { errorText } from '../../../base/error-text.ts';
import { missingOption, problemOf } from '../../../base/option-problems.ts';
import { failedBy, type Problem } from '../../../base/problems.ts';
import { ok, type Result } from '../../../base/result.ts';
import * as z from '../../../base/schemas.ts';
import { usualSecret } from './secret.ts';

const text = z.optional(z.string());

export const credentialsSchema = z.strictObject({
  apiKeyFile: text,
  apiKeyVariable: text,
  secretKeyFile: text,
  secretKeyVariable: text,
  /** Of the Secret in the cluster. */
  namespace: text,
  secretName: text,
});

/** One key: in a file, which is read again when it changes, or in a variable. */
export type KeyPlace = { file: string } | { variable: string };

export type CredentialPlace =
  | { in: 'keys'; apiKey: KeyPlace; secretKey: KeyPlace }
  /** In a Secret of the cluster, with its keys `api-url`, `api-key` and `secret-key`. */
  | { in: 'secret'; namespace: string; name: string };

export interface AccessOptions {
  /** Absent: as the Secret says. */
  apiUrl?: string;
  credentials: CredentialPlace;
  verifySSL: boolean;
  /** PEM. */
  certificateAuthority?: string;
}

export interface GivenAccess {
  apiUrl?: string | undefined;
  credentials: z.infer<typeof credentialsSchema>;
  verifySSL?: boolean | undefined;
  /** A file, or the PEM itself. */
  certificateAuthority?: string | undefined;
}

const urlRule = 'must be the http:// or https:// URL of the API, such as https://cloud.example/client/api';

export const isApiUrl = (value: string): boolean => {
  if (!URL.canParse(value) || !/^https?:\/\//.test(value)) return false;
  const { username, password, search, hash } = new URL(value);
  return `${username}${password}${search}${hash}` === '';
};

export function accessFrom(given: GivenAccess, env: Environment): Result<AccessOptions> {
  const problems: Problem[] = [];
  const apiUrl = given.apiUrl || env.CLOUDSTACK_API_URL || undefined;
  const origin = given.apiUrl ? { field: 'apiUrl' } : { variable: 'CLOUDSTACK_API_URL' };
  if (apiUrl !== undefined && !isApiUrl(apiUrl)) problems.push(problemOf(origin, `${urlRule}, without user or query`));
  const credentials = placeOf(given.credentials, env);
  if (!credentials.ok) problems.push(...(credentials.error.problems ?? []));
  else if (credentials.value.in === 'keys' && apiUrl === undefined) {
    problems.push(missingOption('apiUrl', 'CLOUDSTACK_API_URL'));
  }
  const verify = verifyFrom(given.verifySSL, env);
  if (!verify.ok) problems.push(...(verify.error.problems ?? []));
  const authority = authorityFrom(given.certificateAuthority);
  if (!authority.ok) problems.push(...(authority.error.problems ?? []));
  if (verify.ok && !verify.value && given.certificateAuthority) {
    problems.push(
      problemOf({ field: 'verifySSL' }, 'cannot be false together with certificateAuthority; set one of them'),
    );
  }
  if (!credentials.ok || !verify.ok || !authority.ok || problems.length > 0) return failedBy(problems);
  return ok({
    credentials: credentials.value,
    verifySSL: verify.value,
    ...defined({ apiUrl, certificateAuthority: authority.value }),
  });
}

/** Fields first, then the usual variables, else the Secret. */
function placeOf(given: GivenAccess['credentials'], env: Environment): Result<CredentialPlace> {
  const apiKey = keyPlace(given.apiKeyFile, given.apiKeyVariable, 'CLOUDSTACK_API_KEY', env);
  const secretKey = keyPlace(given.secretKeyFile, given.secretKeyVariable, 'CLOUDSTACK_SECRET_KEY', env);
  if (apiKey !== undefined && secretKey !== undefined) return ok({ in: 'keys', apiKey, secretKey });
  if (apiKey === undefined && secretKey === undefined) {
    const { namespace, secretName } = given;
    return ok({ in: 'secret', namespace: namespace || usualSecret.namespace, name: secretName || usualSecret.name });
  }
  const missing = apiKey === undefined ? 'apiKey' : 'secretKey';
  const other = apiKey === undefined ? 'the secret key' : 'the API key';
  const variable = apiKey === undefined ? 'CLOUDSTACK_API_KEY' : 'CLOUDSTACK_SECRET_KEY';
  return failedBy([missingOption(`credentials.${missing}File`, variable, `${other} alone is not enough: `)]);
}

function keyPlace(
  file: string | undefined,
  variable: string | undefined,
  usual: string,
  env: Environment,
): KeyPlace | undefined {
  if (file) return { file };
  if (variable) return { variable };
  return env[usual] ? { variable: usual } : undefined;
}

function verifyFrom(given: boolean | undefined, env: Environment): Result<boolean> {
  const variable = 'CLOUDSTACK_VERIFY_SSL';
  const written = env[variable]?.trim().toLowerCase() ?? '';
  if (given !== undefined) return ok(given);
  if (written === '' || ['true', '1', 'yes'].includes(written)) return ok(true);
  if (['false', '0', 'no'].includes(written)) return ok(false);
  return failedBy([problemOf({ variable }, `must be true or false; found ${JSON.stringify(written)}`)]);
}

function authorityFrom(given: string | undefined): Result<string | undefined> {
  if (!given) return ok(undefined);
  const wrong = (message: string): Result<never> => failedBy([problemOf({ field: 'certificateAuthority' }, message)]);
  let pem = given;
  if (!given.includes('-----BEGIN ')) {
    try {
      pem = readFileSync(given, 'utf8');
    } catch (error) {
      return wrong(`the file cannot be read: ${errorText(error)}`);
    }
  }
  return pem.includes('-----BEGIN CERTIFICATE-----')
    ? ok(pem)
    : wrong('must be the PEM of a certificate, or a file with one');
}
