/** Resources as Azure Resource Manager takes and shows them; the simulated Azure itself keeps their fields side by side. */
import { createHash } from 'node:crypto';
import { asObject, isObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import { type AzureResource, keyOf } from '../aso/azure/resource.ts';

export const types = {
  group: 'Microsoft.Resources/resourceGroups',
  identity: 'Microsoft.ManagedIdentity/userAssignedIdentities',
  credential: 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials',
  role: 'Microsoft.Authorization/roleAssignments',
  cluster: 'Microsoft.ContainerService/managedClusters',
  pool: 'Microsoft.ContainerService/managedClusters/agentPools',
  extension: 'Microsoft.KubernetesConfiguration/extensions',
  flux: 'Microsoft.KubernetesConfiguration/fluxConfigurations',
} as const;

/** Of a resource that has tags at all. */
const topFields = ['location', 'tags', 'sku', 'identity', 'extendedLocation', 'kind', 'managedBy'];
const parts: ReadonlySet<string> = new Set([
  types.group,
  types.credential,
  types.role,
  types.pool,
  types.extension,
  types.flux,
]);
/** The list of resources does not show it: it is a group, or belongs to a resource of that list. */
export const isPart = (type: string): boolean => parts.has(type);
const withTop = (type: string): boolean => type === types.group || !isPart(type);
/** They are written at once, and have no state. */
const withoutState: ReadonlySet<string> = new Set([types.identity, types.credential, types.role]);

/** What the simulated Azure keeps of the body of a PUT. */
export function flat({ properties, ...top }: JsonObject): JsonObject {
  const identity = asObject(top.identity);
  const assigned = asObject(identity?.userAssignedIdentities);
  const list = assigned === undefined ? {} : { userAssignedIdentities: Object.keys(assigned).map((id) => ({ id })) };
  return { ...top, ...(identity === undefined ? {} : { identity: { ...identity, ...list } }), ...asObject(properties) };
}

/** What a GET shows of it. */
export function shown(resource: AzureResource, pools: readonly AzureResource[] = []): JsonObject {
  const { id, name, type, body } = resource;
  const top: JsonObject = {};
  const properties: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    (withTop(type) && topFields.includes(key) ? top : properties)[key] = value;
  }
  if (asObject(top.identity) !== undefined) top.identity = identityOf(resource);
  const etag = etagOf(resource);
  return {
    id,
    name,
    type,
    ...top,
    ...(type === types.cluster ? { eTag: etag } : {}),
    properties: {
      ...properties,
      ...factsOf(resource, pools),
      ...(type === types.pool ? { eTag: etag } : {}),
      ...(type === types.role ? { scope: id.split('/providers/Microsoft.Authorization/')[0] ?? '' } : {}),
      ...(withoutState.has(type) ? {} : { provisioningState: resource.state }),
      ...problemOf(resource),
    },
  };
}

export const etagOf = ({ seq, puts, body, state }: AzureResource): string =>
  createHash('sha256')
    .update(JSON.stringify([seq, puts, body, state]))
    .digest('hex')
    .slice(0, 24);

function identityOf({ body, facts }: AzureResource): JsonObject {
  const identity = asObject(body.identity) ?? {};
  const list = Array.isArray(identity.userAssignedIdentities) ? identity.userAssignedIdentities : undefined;
  const assigned = list?.map((one): [string, Json] => [String(asObject(one)?.id), {}]);
  const own = facts.principalId === undefined ? {} : { principalId: facts.principalId, tenantId: facts.tenantId ?? '' };
  return {
    ...identity,
    ...own,
    ...(assigned === undefined ? {} : { userAssignedIdentities: Object.fromEntries(assigned) }),
  };
}

function factsOf({ type, body, facts, state }: AzureResource, pools: readonly AzureResource[]): JsonObject {
  if (type !== types.cluster) return facts;
  const { issuerURL, principalId: _, tenantId: __, eTag: ___, ...rest } = facts;
  const issuer = issuerURL === undefined ? {} : { issuerURL };
  const inline = listOf(body.agentPoolProfiles).map((pool) => ({ ...pool, provisioningState: state }));
  const separate = pools.map(({ name, body: pool, state: of }) => ({ name, ...pool, provisioningState: of }));
  return {
    ...rest,
    ...(body.oidcIssuerProfile === undefined
      ? {}
      : { oidcIssuerProfile: { ...asObject(body.oidcIssuerProfile), ...issuer } }),
    agentPoolProfiles: [...inline, ...separate],
  };
}

/** Each resource provider says in a place of its own why something has failed. */
function problemOf({ type, state, last }: AzureResource): JsonObject {
  const failure = state === 'Failed' ? last?.failure : undefined;
  if (failure === undefined) return {};
  if (type === types.extension) return { errorInfo: { ...failure } };
  if (type === types.flux) return { errorMessage: failure.message };
  return { status: { provisioningError: { error: { ...failure } } } };
}

export const listOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : [];

export const isBelow = (id: string, above: string): boolean => keyOf(id).startsWith(`${keyOf(above)}/`);
