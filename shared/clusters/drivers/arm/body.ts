/**
 * From the spec of a manifest to the body that Azure Resource Manager takes. The fields are the same but for what only the operator knows:
 * its own settings, names of other objects, and values in ConfigMaps. Pure.
 */
import { asObject, isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { manifestTag } from '../../resolved/tags.ts';
import { hashOf } from './hash.ts';
import { type Target, taggedAt } from './kinds.ts';

/** What has to be asked for first: a field of another resource. */
export interface Need {
  /** Of the spec: `principalIdFromConfig`. */
  field: string;
  id: string;
  kind: 'UserAssignedIdentity' | 'ManagedCluster';
  /** Where it is in that resource. */
  path: readonly string[];
}

/** In the body these stand beside `properties`, and not in them. */
const topFields: Readonly<Record<string, readonly string[]>> = {
  ResourceGroup: ['location', 'tags'],
  UserAssignedIdentity: ['location', 'tags'],
  ManagedCluster: ['location', 'tags', 'sku', 'identity', 'extendedLocation', 'kind'],
};

/** Ids that Azure names otherwise than the operator's references to them. */
const idFields: Readonly<Record<string, string>> = {
  vnetSubnetReference: 'vnetSubnetID',
  podSubnetReference: 'podSubnetID',
  logAnalyticsWorkspaceResourceReference: 'logAnalyticsWorkspaceResourceId',
  dnsZoneResourceReferences: 'dnsZoneResourceIds',
};

/** Roles that manifests name. Azure has the same ids for them everywhere. */
const roles: Readonly<Record<string, string>> = {
  'Network Contributor': '4d97b98b-1d4f-4787-a291-c67834d212e7',
  'Private DNS Zone Contributor': 'b12aa53e-6015-4669-85d0-8515ebb3ae7f',
};

/** Of the operator, or of Kubernetes. */
const dropped = new Set(['owner', 'azureName', 'operatorSpec']);

export function needsOf(target: Target, spec: JsonObject): Need[] {
  const needs: Need[] = [];
  const principal = asObject(spec.principalIdFromConfig);
  if (typeof principal?.name === 'string') {
    const id = target.identity(principal.name);
    needs.push({
      field: 'principalIdFromConfig',
      id,
      kind: 'UserAssignedIdentity',
      path: ['properties', 'principalId'],
    });
  }
  if (spec.issuerFromConfig !== undefined) {
    const path = ['properties', 'oidcIssuerProfile', 'issuerURL'];
    needs.push({ field: 'issuerFromConfig', id: target.cluster, kind: 'ManagedCluster', path });
  }
  return needs;
}

/** @param values By the field of the need. */
export function bodyOf(target: Target, spec: JsonObject, values: Readonly<Record<string, string>>): JsonObject {
  const top: JsonObject = {};
  const properties: JsonObject = {};
  const names = topFields[target.kind] ?? [];
  for (const [field, value] of Object.entries(spec)) {
    if (dropped.has(field)) continue;
    const [name, plain] = translated(target, field, value, values);
    (names.includes(field) ? top : properties)[name] = plain;
  }
  const body: JsonObject = Object.keys(properties).length === 0 ? top : { ...top, properties };
  return withMark(target, body);
}

function translated(
  target: Target,
  field: string,
  value: Json,
  values: Readonly<Record<string, string>>,
): [string, Json] {
  const given = values[field];
  if (given !== undefined) return [field.replace(/FromConfig$/, ''), given];
  if (field === 'roleDefinitionReference') {
    return ['roleDefinitionId', roleId(target, String(asObject(value)?.wellKnownName))];
  }
  if (field === 'identity') return [field, identityOf(target, asObject(value) ?? {})];
  return [idFields[field] ?? field, inner(value, field)];
}

function inner(value: Json, field: string): Json {
  if (idFields[field] !== undefined) return Array.isArray(value) ? value.map(armIdIn) : armIdIn(value);
  if (Array.isArray(value)) return value.map((one) => inner(one, ''));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [idFields[key] ?? key, inner(one, key)]));
}

const armIdIn = (value: Json): string => String(asObject(value)?.armId ?? '');

function roleId({ group }: Target, name: string): string {
  const id = roles[name];
  if (id === undefined) throw new Error(`no manifest gives the role ${name}`);
  return `${group.split('/').slice(0, 3).join('/')}/providers/Microsoft.Authorization/roleDefinitions/${id}`;
}

/** A list of references there, a map by id here. */
function identityOf(target: Target, identity: JsonObject): JsonObject {
  const { userAssignedIdentities: list, ...rest } = identity;
  if (!Array.isArray(list)) return rest;
  const ids = list.map((one) => {
    const reference = asObject(asObject(one)?.reference) ?? {};
    return typeof reference.armId === 'string' ? reference.armId : target.identity(String(reference.name));
  });
  return { ...rest, userAssignedIdentities: Object.fromEntries(ids.map((id) => [id, {}])) };
}

/** A tag that says of which manifest all has been written, so that nothing is written twice. */
function withMark(target: Target, body: JsonObject): JsonObject {
  const at = taggedAt[target.kind];
  const mark = hashOf([target.apiVersion, body]);
  if (at === 'top') return { ...body, tags: { ...asObject(body.tags), [manifestTag]: mark } };
  if (at === 'none') return body;
  const properties = asObject(body.properties) ?? {};
  return { ...body, properties: { ...properties, tags: { ...asObject(properties.tags), [manifestTag]: mark } } };
}

/** A cluster keeps the pools that it has: a PUT that leaves one out, or brings a new one, is refused. */
export function withLivePools(body: JsonObject, live: JsonObject): JsonObject {
  const properties = asObject(body.properties) ?? {};
  const wanted = listOf(properties.agentPoolProfiles);
  const there = listOf(asObject(live.properties)?.agentPoolProfiles);
  if (there.length === 0) return body;
  const merged = there.map((pool) => ({ ...settable(pool), ...wanted.find(({ name }) => name === pool.name) }));
  return { ...body, properties: { ...properties, agentPoolProfiles: merged } };
}

/** Where the manifest leaves the number of nodes to the autoscaler, it stays what it is: Azure wants one in each PUT. */
export function withLiveCount(body: JsonObject, live: JsonObject): JsonObject {
  const properties = asObject(body.properties) ?? {};
  const count = asObject(live.properties)?.count;
  return properties.count !== undefined || count === undefined
    ? body
    : { ...body, properties: { ...properties, count } };
}

const listOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : [];

/** What Azure says of a pool and does not take. */
const readOnly = new Set([
  'provisioningState',
  'powerState',
  'nodeImageVersion',
  'currentOrchestratorVersion',
  'eTag',
  'status',
]);
const settable = (pool: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(pool).filter(([key]) => !readOnly.has(key)));
