/**
 * A way in whose secrets lie elsewhere: the fields of a cluster may name a secret instead of holding it. They are followed when
 * the cluster is first used, and a token once more when the cluster refuses it.
 */

import type { Problem } from '../../base/problems.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { isSecretReference, parseSecretReference } from '../../platforms/aws/secret-reference.ts';
import type { Secrets } from '../../platforms/aws/secrets.ts';
import type { ClusterAccess, IssueToken } from './access.ts';
import {
  type AccessConfig,
  type AccessContext,
  type ConfiguredAccess,
  completeAccess,
  configuredAccess,
} from './configured-access.ts';

const pems = ['certificateAuthority', 'clientCertificate', 'clientKey'] as const;
const referable = ['kubeconfig', 'token', ...pems] as const;
type Field = (typeof referable)[number];

/** A token is read again by then, whether it was refused or not: whoever replaced it may take the old one away. */
const tokenMs = 300_000;

/** Those that are references, right or wrong. */
export const referencesIn = (config: AccessConfig): { field: Field; reference: string }[] =>
  referable.flatMap((field) => {
    const given = config[field];
    return given !== undefined && isSecretReference(given) ? [{ field, reference: given }] : [];
  });

/** What is wrong with them as far as it can be seen from here. */
export function referenceProblem(config: AccessConfig, region: string | undefined): Problem | undefined {
  for (const { field, reference } of referencesIn(config)) {
    const parsed = parseSecretReference(reference);
    if (!parsed.ok) return { path: field, message: parsed.error.message };
    if ((parsed.value.region ?? region) === undefined) {
      const message = `the reference ${reference} has no region; set AWS_REGION, or use its ARN`;
      return { path: field, message };
    }
  }
  return undefined;
}

/** A failure's text begins with the field. */
export async function referencedAccess(
  config: AccessConfig,
  secrets: Secrets,
  context: AccessContext,
): Promise<Result<ConfiguredAccess>> {
  const read = async (field: Field, reference: string, renew = false): Promise<Result<string>> => {
    const found = await secrets.read(reference, { renew });
    return found.ok ? found : failed(found.error.kind, `${field}: ${found.error.message}`);
  };
  const found: Partial<Record<Field, string>> = {};
  for (const { field, reference } of referencesIn(config)) {
    const value = await read(field, reference);
    if (!value.ok) return value;
    if (field !== 'token' && field !== 'kubeconfig' && !value.value.includes('-----BEGIN ')) {
      return failed('invalid', `${field}: the secret ${reference} contains no PEM text`);
    }
    found[field] = value.value;
  }
  const { kubeconfig, token } = config;
  if (found.kubeconfig !== undefined && kubeconfig !== undefined) {
    const way = await kubeconfigWay(found.kubeconfig, config, kubeconfig, (renew) =>
      read('kubeconfig', kubeconfig, renew),
    );
    return way.ok ? completeAccess(way.value, config, context) : way;
  }
  const { token: _, ...others } = { ...config, ...found };
  const way = await configuredAccess(found.token === undefined ? { ...config, ...found } : others, context);
  if (!way.ok || found.token === undefined || token === undefined) return way;
  const issue = issuer(context, (renew) => read('token', token, renew));
  return ok({ ...way.value, access: { ...way.value.access, issue } });
}

/** A kubeconfig as a secret. Its token is issued anew from the secret, so that a new one can be put there. */
async function kubeconfigWay(
  text: string,
  config: AccessConfig,
  reference: string,
  again: (renew: boolean) => Promise<Result<string>>,
): Promise<Result<ClusterAccess>> {
  // It brings a YAML parser along, which those who are told a URL need not load.
  const { readKubeconfigText } = await import('./kubeconfig.ts');
  const parse = (content: string): Result<ClusterAccess> => {
    const options = { allowInsecure: config.insecureSkipTlsVerify === true };
    const parsed = readKubeconfigText(content, config.context, options);
    return parsed.ok ? ok(parsed.access) : failed('invalid', `kubeconfig: the secret ${reference}: ${parsed.text}`);
  };
  const access = parse(text);
  if (!access.ok || access.value.token === undefined) return access;
  const { token: _, ...others } = access.value;
  const issue: IssueToken = async ({ renew }) => {
    const content = await again(renew);
    const fresh = content.ok ? parse(content.value) : content;
    if (!fresh.ok) return fresh;
    return fresh.value.token === undefined
      ? failed('invalid', `kubeconfig: the secret ${reference} no longer contains a token`)
      : ok({ token: fresh.value.token });
  };
  return ok({ ...others, issue });
}

const issuer =
  ({ clock }: AccessContext, read: (renew: boolean) => Promise<Result<string>>): IssueToken =>
  async ({ renew }) => {
    const found = await read(renew);
    return found.ok ? ok({ token: found.value.trim(), expiresAt: clock.now() + tokenMs }) : found;
  };
