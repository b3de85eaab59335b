/**
 * The options of both Azure providers. What the configuration does not say may come from the environment, under the names
 * that gpu-provisioner and Microsoft's own tools use. Every mistake is told at once, with the field and what to do.
 */

import { readFileSync } from 'node:fs';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Json } from '../../base/json.ts';
import { missingOption, problemOf } from '../../base/option-problems.ts';
import { failedBy, mistakesIn, type Problem } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';
import * as z from '../../base/schemas.ts';
import { bareUrl, type Cloud, cloudOfAuthority, clouds } from '../../platforms/azure/clouds.ts';
import type { ConnectionOptions } from '../../platforms/azure/connection.ts';
import { credentialOptionsSchema, resolveCredential } from '../../platforms/azure/credential-options.ts';
import { isUnresolvedReference, unresolvedReferenceText } from '../../platforms/azure/key-vault-reference.ts';

const text = z.optional(z.string());
const httpsUrl = z.optional(
  z
    .string()
    .check(z.refine((text) => URL.canParse(text) && text.startsWith('https://'), { error: 'must be an https:// URL' })),
);
const lateness = z.optional(z.number().check(z.gte(0), z.lte(3600)));

/** The fields that say where the agent pools are; a cluster's own `azure` block has them too. */
const placeFields = {
  subscription: text,
  resourceGroup: text,
  clusterName: text,
  location: text,
  /** The ARM id of the custom location; Arc only. */
  customLocation: text,
};

export const azureOptionsSchema = z.strictObject({
  ...placeFields,
  tenant: text,
  credential: z.optional(credentialOptionsSchema),
  cloud: z.optional(
    z.strictObject({
      name: z.optional(z.enum(['public', 'us-government', 'china'])),
      authorityHost: httpsUrl,
      armEndpoint: httpsUrl,
      audience: z.optional(z.string().check(z.minLength(1))),
      pricesUrl: httpsUrl,
    }),
  ),
  /** PEM text or a file with it: for Azure Stack, or a proxy that opens TLS. */
  certificateAuthority: text,
  operationsAtOnce: z._default(z.int().check(z.gte(1), z.lte(100)), 1),
  /** Take claims with an AKSNodeClass that carry no label of KAITO's; only where no other provisioner serves them. */
  unlabelledAksNodeClasses: z._default(z.boolean(), false),
  /** A cluster that Azure does not know has no pools, and that is no mistake. */
  clusterMayBeAbsent: z._default(z.boolean(), false),
  prices: z._default(z.boolean(), true),
  writeSeconds: z.optional(z.number().check(z.gte(1), z.lte(300))),
  latenessSeconds: lateness,
  listLagSeconds: lateness,
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
  clusterMayBeAbsent: boolean;
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

  const {
    operationsAtOnce,
    unlabelledAksNodeClasses,
    clusterMayBeAbsent,
    prices,
    writeSeconds,
    latenessSeconds,
    listLagSeconds,
  } = parsed.data;
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
    clusterMayBeAbsent,
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
