/** Which identity is used, and what it needs; decided from the options and the environment, before anything is asked. */

import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import { missingOption, problemOf } from '../../base/option-problems.ts';
import { failedBy } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import * as z from '../../base/schemas.ts';
import { isUnresolvedReference, unresolvedReferenceText } from './key-vault-reference.ts';

export const credentialTypes = ['workload-identity', 'managed-identity', 'client-secret', 'default'] as const;

const text = z.optional(z.string());

export const credentialOptionsSchema = z.strictObject({
  type: z.optional(z.enum(credentialTypes)),
  clientId: text,
  /** The ARM id of a user-assigned identity, instead of its client id. */
  resourceId: text,
  /** With the token of the pod's service account; read again for every exchange. */
  tokenFile: text,
  /** The variable that holds the secret. The secret itself has no field, so that it stands in no file of ours. */
  secretVariable: text,
  secretFile: text,
});

export type CredentialOptions =
  | { type: 'workload-identity'; tenant: string; clientId: string; tokenFile: string }
  | { type: 'managed-identity'; clientId?: string; resourceId?: string }
  | { type: 'client-secret'; tenant: string; clientId: string; secret: { variable: string } | { file: string } }
  | { type: 'default'; tenant?: string; clientId?: string };

/** A failure has each mistake in its problems. */
export function resolveCredential(
  given: z.infer<typeof credentialOptionsSchema>,
  tenant: string | undefined,
  env: Environment,
): Result<CredentialOptions> {
  const mode = env.DEPLOYMENT_MODE ?? '';
  if (!['', 'managed', 'self-hosted'].includes(mode)) {
    const message = `must be managed or self-hosted, or empty; found ${JSON.stringify(mode)}`;
    return failedBy([problemOf({ variable: 'DEPLOYMENT_MODE' }, message)]);
  }
  const clientId = given.clientId || env.AZURE_CLIENT_ID || undefined;
  if (isUnresolvedReference(clientId ?? '')) {
    return failedBy([problemOf({ variable: 'AZURE_CLIENT_ID' }, unresolvedReferenceText)]);
  }
  const tokenFile = given.tokenFile || env.AZURE_FEDERATED_TOKEN_FILE || undefined;
  const variable = given.secretVariable || 'AZURE_CLIENT_SECRET';
  const hasSecret = (given.secretFile ?? '') !== '' || (env[variable] ?? '') !== '';
  const type = given.type ?? typeFrom({ mode, tokenFile, hasSecret, env });
  if (type === undefined) {
    const message =
      'is missing; DEPLOYMENT_MODE=self-hosted uses workload identity, so label the pod azure.workload.identity/use: "true", or set credential.type';
    return failedBy([problemOf({ variable: 'AZURE_FEDERATED_TOKEN_FILE' }, message)]);
  }
  const missing = (field: string, name: string): Result<never> =>
    failedBy([missingOption(field, name, `${type} needs it: `)]);

  switch (type) {
    case 'workload-identity':
      if (tenant === undefined) return missing('tenant', 'AZURE_TENANT_ID');
      if (clientId === undefined) return missing('credential.clientId', 'AZURE_CLIENT_ID');
      if (tokenFile === undefined) return missing('credential.tokenFile', 'AZURE_FEDERATED_TOKEN_FILE');
      return ok({ type, tenant, clientId, tokenFile });
    case 'client-secret':
      if (tenant === undefined) return missing('tenant', 'AZURE_TENANT_ID');
      if (clientId === undefined) return missing('credential.clientId', 'AZURE_CLIENT_ID');
      if (!hasSecret) return missing('credential.secretFile', variable);
      // A vault that did not give it is told when the secret is used: it is no reason to stop for all other clusters.
      return ok({ type, tenant, clientId, secret: given.secretFile ? { file: given.secretFile } : { variable } });
    case 'managed-identity':
      if (given.resourceId) return ok({ type, resourceId: given.resourceId });
      return ok({ type, ...defined({ clientId }) });
    case 'default':
      return ok({
        type,
        ...defined({ tenant, clientId }),
      });
  }
}

/** As gpu-provisioner decides it, and further for what it does not know. */
function typeFrom(known: {
  mode: string;
  tokenFile: string | undefined;
  hasSecret: boolean;
  env: Environment;
}): CredentialOptions['type'] | undefined {
  if (known.mode === 'managed') return 'default';
  if (known.tokenFile !== undefined) return 'workload-identity';
  if (known.mode === 'self-hosted') return undefined;
  if (known.hasSecret) return 'client-secret';
  // App Service and Functions set it where an identity is assigned.
  if ((known.env.IDENTITY_ENDPOINT ?? '') !== '') return 'managed-identity';
  return 'default';
}
