/**
 * The options of both Azure providers. What the configuration does not say may come from the environment, under the names
 * that gpu-provisioner and Microsoft's own tools use. Every mistake is told at once, with the field and what to do.
 */

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { missingOption, problemOf } from '../../base/option-problems.ts';
import { failedBy, mistakesIn, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import { bareUrl, type Cloud, cloudOfAuthority, clouds } from '../../platforms/azure/clouds.ts';
import type { ConnectionOptions } from '../../platforms/azure/connection.ts';
import { credentialOptionsSchema, resolveCredential } from '../../platforms/azure/credential-options.ts';
import { isUnresolvedReference, unresolvedReferenceText } from '../../platforms/azure/key-vault-reference.ts';

const httpsUrl = z.string().refine((text) => URL.canParse(text) && text.startsWith('https://'), {
  error: 'must be an https:// URL',
});

/** The fields that say where the agent pools are; a cluster's own `azure` block has them too. */
const placeFields = {
  subscription: z.string().optional(),
  resourceGroup: z.string().optional(),
  clusterName: z.string().optional(),
  location: z.string().optional(),
  /** The ARM id of the custom location; Arc only. */
  customLocation: z.string().optional(),
};

export const azureOptionsSchema = z.strictObject({
  ...placeFields,
  tenant: z.string().optional(),
  credential: credentialOptionsSchema.optional(),
  cloud: z
    .strictObject({
      name: z.enum(['public', 'us-government', 'china']).optional(),
      authorityHost: httpsUrl.optional(),
      armEndpoint: httpsUrl.optional(),
      audience: z.string().min(1).optional(),
      pricesUrl: httpsUrl.optional(),
    })
    .optional(),
  /** PEM text or a file with it: for Azure Stack, or a proxy that opens TLS. */
  certificateAuthority: z.string().optional(),
  operationsAtOnce: z.int().min(1).max(100).default(1),
  /** Take claims with an AKSNodeClass that carry no label of KAITO's; only where no other provisioner serves them. */
  unlabelledAksNodeClasses: z.boolean().default(false),
  prices: z.boolean().default(true),
  writeSeconds: z.number().min(1).max(300).optional(),
  latenessSeconds: z.number().min(0).max(3600).optional(),
  listLagSeconds: z.number().min(0).max(3600).optional(),
});

export interface AzureOptions extends ConnectionOptions {
  subscription: string;
  resourceGroup: string;
  /** Absent when only the cluster's own settings can tell. */
  clusterName?: string;
  location?: string;
  customLocation?: string;
  tenant?: string;
  operationsAtOnce: number;
  unlabelledAksNodeClasses: boolean;
  prices: boolean;
  /** As the configuration overrides the provider's traits. */
  latenessSeconds?: number;
  listLagSeconds?: number;
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A tenant may be named by one of its domains as well. */
const domain = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i;
const resourceGroupName = /^[-\p{L}\p{N}._()]{0,89}[-\p{L}\p{N}_()]$/u;
const managedClusterName = /^[a-z0-9]([-_a-z0-9]{0,61}[a-z0-9])?$/i;
const customLocationId =
  /^\/?subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ExtendedLocation\/customLocations\/[^/]+$/i;

/** Each place: its field, its variable, what it has to look like. */
const places = [
  [
    'subscription',
    'ARM_SUBSCRIPTION_ID',
    guid,
    'must be the id of a subscription, such as 00000000-0000-0000-0000-000000000000',
  ],
  ['resourceGroup', 'ARM_RESOURCE_GROUP', resourceGroupName, 'must be the name of a resource group'],
  [
    'clusterName',
    'AZURE_CLUSTER_NAME',
    managedClusterName,
    'must be the name of an AKS or connected cluster: 1 to 63 letters, digits, dashes and underscores',
  ],
  ['location', 'LOCATION', /^[a-z0-9 ]+$/i, 'must be the name of a region, such as eastus'],
  [
    'customLocation',
    'AZURE_CUSTOM_LOCATION',
    customLocationId,
    'must be the ARM id of a custom location: /subscriptions/…/providers/Microsoft.ExtendedLocation/customLocations/…',
  ],
  [
    'tenant',
    'AZURE_TENANT_ID',
    new RegExp(`${guid.source}|${domain.source}`, 'i'),
    'must be the id of a tenant, or one of its domains',
  ],
] as const;

export function readAzureOptions(options: Json, env: Environment): Result<AzureOptions> {
  const parsed = azureOptionsSchema.safeParse(options, { jitless: true });
  if (!parsed.success) {
    return failedBy(
      parsed.error.issues.map(({ path, message }) => ({ path: ['options', ...path].join('.'), message })),
    );
  }
  const problems: Problem[] = [];
  const wrong = new Set<string>();
  const found: Partial<Record<(typeof places)[number][0], string>> = {};
  for (const [field, variable, pattern, rule] of places) {
    const given = parsed.data[field] || undefined;
    const value = given ?? (env[variable] || undefined);
    if (value === undefined) continue;
    // Regions have a name for people as well: `East US`.
    if (!isUnresolvedReference(value) && pattern.test(value)) {
      found[field] = field === 'location' ? value.toLowerCase().replaceAll(' ', '') : value;
      continue;
    }
    const message = isUnresolvedReference(value) ? unresolvedReferenceText : `${rule}; found ${JSON.stringify(value)}`;
    problems.push(problemOf(given === undefined ? { variable } : { field }, message));
    wrong.add(field);
  }
  for (const [field, variable] of places.slice(0, 2)) {
    if (found[field] === undefined && !wrong.has(field)) problems.push(missingOption(field, variable));
  }
  const credential = resolveCredential(parsed.data.credential ?? {}, found.tenant, env);
  if (!credential.ok) problems.push(...mistakesIn(credential.error));
  const authority = authorityOf(parsed.data.certificateAuthority);
  if (!authority.ok) problems.push(...mistakesIn(authority.error));
  const cloud = cloudOf(parsed.data.cloud ?? {}, env);
  if (!cloud.ok) problems.push(...mistakesIn(cloud.error));
  if (problems.length > 0 || !credential.ok || !authority.ok || !cloud.ok) return failedBy(problems);

  const { operationsAtOnce, unlabelledAksNodeClasses, prices, writeSeconds, latenessSeconds, listLagSeconds } =
    parsed.data;
  const { subscription = '', resourceGroup = '', ...rest } = found;
  return ok({
    subscription,
    resourceGroup,
    ...rest,
    credential: credential.value,
    cloud: cloud.value,
    ...defined({ certificateAuthority: authority.value }),
    operationsAtOnce,
    unlabelledAksNodeClasses,
    prices,
    ...defined({ writeSeconds, latenessSeconds, listLagSeconds }),
  });
}

type CloudInput = NonNullable<z.infer<typeof azureOptionsSchema>['cloud']>;

function cloudOf(given: CloudInput, env: Environment): Result<Cloud> {
  const authority =
    given.authorityHost ?? (given.name === undefined ? env.AZURE_AUTHORITY_HOST || undefined : undefined);
  if (authority !== undefined && !(URL.canParse(authority) && authority.startsWith('https://'))) {
    const message = `must be an https:// URL; found ${JSON.stringify(authority)}`;
    return failedBy([problemOf({ variable: 'AZURE_AUTHORITY_HOST' }, message)]);
  }
  const name = given.name ?? (authority === undefined ? 'public' : cloudOfAuthority(authority));
  if (name === undefined && given.armEndpoint === undefined) {
    const message = `is missing; the authority ${bareUrl(authority ?? '')} is not one of Microsoft's, so it can't be derived`;
    return failedBy([problemOf({ field: 'cloud.armEndpoint' }, message)]);
  }
  const known: Partial<Cloud> = name === undefined ? {} : clouds[name];
  const armEndpoint = bareUrl(given.armEndpoint ?? known.armEndpoint ?? '');
  const pricesUrl = given.pricesUrl ?? known.pricesUrl;
  return ok({
    authorityHost: bareUrl(authority ?? known.authorityHost ?? ''),
    armEndpoint,
    // Other clouds issue tokens for their own ARM.
    audience: (given.audience ?? (given.armEndpoint === undefined ? known.audience : undefined) ?? armEndpoint).replace(
      /\/(\.default)?$/,
      '',
    ),
    ...defined({ pricesUrl }),
  });
}

function authorityOf(given: string | undefined): Result<string | undefined> {
  if (given === undefined || given === '') return ok(undefined);
  if (isUnresolvedReference(given))
    return failedBy([problemOf({ field: 'certificateAuthority' }, unresolvedReferenceText)]);
  if (given.includes('-----BEGIN ')) return ok(given);
  try {
    return ok(readFileSync(given, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const text = `${given} cannot be read (${code}); give the PEM text, or a file that this process may read`;
    return failedBy([problemOf({ field: 'certificateAuthority' }, text)]);
  }
}
