/**
 * Everything that has our marks, found by asking Azure: the groups, clusters and identities with our tags, and below those of one request
 * what has no tags of its own. AKS copies the tags of a cluster to what it makes for it; that is not ours to remove.
 */
import { defined } from '../../../base/defined.ts';
import { asObject, type JsonObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { AsoKindName } from '../../manifests/api-versions.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { credentialObjectName, objectNames, roleAssignmentName, rolePurposes } from '../../manifests/object-names.ts';
import { ownerIn } from '../../resolved/marks.ts';
import { objectName } from '../../resolved/names.ts';
import { labelsOf, type Owner, tagNames } from '../../resolved/tags.ts';
import type { Found } from '../contract.ts';
import { apiVersionOf, clusterId, clusterType, groupId, identityType, usualVersion } from './kinds.ts';
import { type ArmResource, textIn } from './live.ts';
import { placeOf } from './removal.ts';
import type { Arm } from './resources.ts';

const resourcesVersion = '2021-04-01';
const configuration = 'Microsoft.KubernetesConfiguration';

export interface FoundInAzure extends Found {
  id: string;
  tags: JsonObject;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const lower = (id: string | undefined): string => (id ?? '').toLowerCase();
const groupOf = (id: string): string => id.split('/')[4] ?? '';
const lastOf = (id: string): string => id.split('/').at(-1) ?? '';

export async function find(arm: Arm, uid: string | undefined, signal?: AbortSignal): Promise<Result<FoundInAzure[]>> {
  const { calls, subscriptionId } = arm;
  const byTag = `tagName eq ${quoted(tagNames.uid)}`;
  const filter = uid === undefined ? byTag : `${byTag} and tagValue eq ${quoted(uid)}`;
  const here = `/subscriptions/${subscriptionId}`;
  const groups = await calls.list(`${here}/resourcegroups`, resourcesVersion, filter, signal);
  if (!groups.ok) return groups;
  const resources = await calls.list(`${here}/resources`, resourcesVersion, filter, signal);
  if (!resources.ok) return resources;

  const nodeGroups = new Set(groups.value.filter(isManaged).map(({ name }) => lower(String(name))));
  const clusters = resources.value.filter((one) => lower(textIn(one, 'type')) === lower(clusterType));
  const found: FoundInAzure[] = groups.value
    .filter((one) => !isManaged(one))
    .flatMap((one) => madeOf('ResourceGroup', one, clusterNameIn(clusters, String(one.name))));
  for (const one of resources.value) {
    const id = textIn(one, 'id') ?? '';
    if (nodeGroups.has(lower(groupOf(id)))) continue;
    const type = lower(textIn(one, 'type'));
    const kind =
      type === lower(clusterType)
        ? 'ManagedCluster'
        : type === lower(identityType)
          ? 'UserAssignedIdentity'
          : undefined;
    if (kind === undefined) continue;
    const made = madeOf(kind, one, clusterNameIn(clusters, groupOf(id)));
    found.push(...made);
    for (const parent of uid === undefined ? [] : made) {
      const below = await childrenOf(arm, parent, signal);
      if (!below.ok) return below;
      found.push(...below.value);
    }
  }
  return ok(found);
}

/** AKS itself has made it, for the nodes. */
const isManaged = ({ managedBy }: ArmResource): boolean => typeof managedBy === 'string' && managedBy !== '';

const clusterNameIn = (clusters: readonly ArmResource[], group: string): string => {
  const id = clusters.map((one) => textIn(one, 'id') ?? '').find((one) => lower(groupOf(one)) === lower(group));
  return id === undefined ? '' : lastOf(id);
};

function madeOf(kind: AsoKindName, live: ArmResource, cluster: string): FoundInAzure[] {
  const tags = asObject(live.tags) ?? {};
  const owner = ownerIn(tags);
  const id = textIn(live, 'id');
  if (owner === undefined || id === undefined) return [];
  const names = objectNames(owner.name ?? owner.uid);
  const name = {
    ResourceGroup: names.resourceGroup,
    ManagedCluster: names.cluster,
    UserAssignedIdentity: names.identity,
  }[kind as 'ResourceGroup' | 'ManagedCluster' | 'UserAssignedIdentity'];
  const spec = { azureName: lastOf(id), tags, ...defined({ location: textIn(live, 'location') }) };
  const where = { group: groupOf(id), cluster: kind === 'ManagedCluster' ? lastOf(id) : cluster };
  return [{ id, tags, ...asFound(kind, owner, name, spec, where) }];
}

function asFound(
  kind: AsoKindName,
  owner: Found['owner'],
  name: string,
  spec: JsonObject,
  where: { group: string; cluster: string },
): Found {
  const { uid, deployment = '', namespace = '', name: request = uid } = owner;
  const whole: Owner = { deployment, namespace, name: request, uid, seed: owner.seed };
  const manifest: Manifest = {
    apiVersion: usualVersion(kind),
    kind,
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      labels: labelsOf(whole),
      annotations: placeOf(where.group, where.cluster),
    },
    spec,
  };
  return { owner, manifest, everMade: true };
}

const byPlace = { byPlace: true } as const;

/** What has no tags is ours by what it belongs to, if it is such as we make there. */
async function childrenOf(arm: Arm, parent: FoundInAzure, signal?: AbortSignal): Promise<Result<FoundInAzure[]>> {
  return parent.manifest.kind === 'ManagedCluster'
    ? await ofCluster(arm, parent, signal)
    : parent.manifest.kind === 'UserAssignedIdentity'
      ? await ofIdentity(arm, parent, signal)
      : ok([]);
}

async function ofCluster({ calls }: Arm, parent: FoundInAzure, signal?: AbortSignal): Promise<Result<FoundInAzure[]>> {
  const { id, owner } = parent;
  const request = owner.name ?? owner.uid;
  const names = objectNames(request);
  const where = { group: groupOf(id), cluster: lastOf(id) };
  const found: FoundInAzure[] = [];
  const add = (kind: AsoKindName, live: JsonObject, name: string, spec: JsonObject, more: object = byPlace): void => {
    found.push({ id: textIn(live, 'id') ?? '', tags: {}, ...asFound(kind, owner, name, spec, where), ...more });
  };
  const list = (path: string, kind: AsoKindName) =>
    calls.list(`${id}/${path}`, apiVersionOf(usualVersion(kind)), undefined, signal);

  const pools = await list('agentPools', 'ManagedClustersAgentPool');
  if (!pools.ok) return pools;
  for (const pool of pools.value) {
    const tags = asObject(asObject(pool.properties)?.tags) ?? {};
    if (ownerIn(tags)?.uid !== owner.uid) continue;
    const azureName = String(pool.name);
    add('ManagedClustersAgentPool', pool, objectName(request, azureName), { azureName, tags }, {});
  }
  const extensions = await list(`providers/${configuration}/extensions`, 'Extension');
  if (!extensions.ok) return extensions;
  for (const one of extensions.value) {
    if (one.name === 'flux') add('Extension', one, names.flux, { azureName: 'flux' });
  }
  const configurations = await list(`providers/${configuration}/fluxConfigurations`, 'FluxConfiguration');
  if (!configurations.ok) return configurations;
  for (const one of configurations.value)
    if (one.name === names.gitOps) add('FluxConfiguration', one, names.gitOps, {});
  return ok(found);
}

/** Credentials for the cluster of the request, and roles with a name that only its uid leads to. */
async function ofIdentity(arm: Arm, parent: FoundInAzure, signal?: AbortSignal): Promise<Result<FoundInAzure[]>> {
  const { id, owner, manifest } = parent;
  const request = owner.name ?? owner.uid;
  const cluster = manifest.metadata.annotations?.['poolwright.dev/azure-cluster'] ?? '';
  const where = { group: groupOf(id), cluster };
  const found: FoundInAzure[] = [];
  const issuer = await textOf(
    arm,
    clusterId(groupId(arm.subscriptionId, where.group), cluster),
    'ManagedCluster',
    signal,
    'properties',
    'oidcIssuerProfile',
    'issuerURL',
  );
  if (!issuer.ok) return issuer;
  const version = apiVersionOf(usualVersion('FederatedIdentityCredential'));
  const credentials = await arm.calls.list(`${id}/federatedIdentityCredentials`, version, undefined, signal);
  if (!credentials.ok) return credentials;
  for (const one of credentials.value) {
    // For other clusters people make them by hand; with the cluster gone, all are of no use.
    if (issuer.value !== undefined && textIn(one, 'properties', 'issuer') !== issuer.value) continue;
    const azureName = String(one.name);
    const spec = { azureName, owner: { name: lastOf(id) } };
    found.push({
      id: textIn(one, 'id') ?? '',
      tags: {},
      ...asFound('FederatedIdentityCredential', owner, credentialObjectName(request, azureName), spec, where),
      ...byPlace,
    });
  }
  const roles = await rolesOf(arm, parent, where, signal);
  return roles.ok ? ok([...found, ...roles.value]) : roles;
}

async function rolesOf(
  arm: Arm,
  { id, owner }: FoundInAzure,
  where: { group: string; cluster: string },
  signal?: AbortSignal,
): Promise<Result<FoundInAzure[]>> {
  const principal = await textOf(arm, id, 'UserAssignedIdentity', signal, 'properties', 'principalId');
  if (!principal.ok) return principal;
  if (principal.value === undefined) return ok([]);
  const path = `/subscriptions/${arm.subscriptionId}/providers/Microsoft.Authorization/roleAssignments`;
  const version = apiVersionOf(usualVersion('RoleAssignment'));
  const listed = await arm.calls.list(path, version, `principalId eq ${quoted(principal.value)}`, signal);
  if (!listed.ok) return listed;
  return ok(
    listed.value.flatMap((one) => {
      const scope = textIn(one, 'properties', 'scope') ?? '';
      const azureName = String(one.name);
      const purpose = rolePurposes.find((of) => roleAssignmentName(owner, of, scope) === lower(azureName));
      if (purpose === undefined) return [];
      const spec = { azureName, owner: { armId: scope } };
      const name = objectName(owner.name ?? owner.uid, purpose);
      return [{ id: textIn(one, 'id') ?? '', tags: {}, ...asFound('RoleAssignment', owner, name, spec, where) }];
    }),
  );
}

async function textOf(
  { calls }: Arm,
  id: string,
  kind: AsoKindName,
  signal: AbortSignal | undefined,
  ...path: string[]
): Promise<Result<string | undefined>> {
  const answer = await calls.get(id, apiVersionOf(usualVersion(kind)), signal);
  if (!answer.ok) return answer;
  return ok(answer.value.state === 'done' ? textIn(answer.value.body, ...path) : undefined);
}
