/** What Azure refuses, in its codes. Only what requests meet; quota, capacity and rights come from faults. */
import { asObject, isObject, type Json, type JsonObject } from '../../../shared/base/json.ts';
import { parentOf } from '../kinds.ts';
import type { AzureError, AzureResource } from './resource.ts';

export interface PutRules {
  versions: readonly string[] | undefined;
  locations: readonly string[] | undefined;
}

const cluster = 'Microsoft.ContainerService/managedClusters';
const isGroup = (id: string): boolean => id.split('/').length === 5;
const no = (status: number, code: string, message: string): AzureError => ({ status, code, message });

/** @param find A living resource by its id. */
export function refusalOf(
  { id, type, body }: { id: string; type: string; body: JsonObject },
  existing: AzureResource | undefined,
  find: (id: string) => AzureResource | undefined,
  { versions, locations }: PutRules,
): AzureError | undefined {
  // A scope may be anywhere; this Azure knows only what was made in it.
  const above = type === 'Microsoft.Authorization/roleAssignments' ? undefined : parentProblem(id, find);
  if (above !== undefined) return above;
  if (existing?.operation !== undefined) return busy(existing);
  const { location } = body;
  if (isGroup(id)) {
    const before = existing?.body.location;
    if (before !== undefined && normal(before) !== normal(location)) {
      const text = `Invalid resource group location '${String(location)}'. The Resource group already exists in location '${String(before)}'.`;
      return no(409, 'InvalidResourceGroupLocation', text);
    }
  }
  if (typeof location === 'string' && locations !== undefined && !locations.map(normal).includes(normal(location))) {
    const text = `The provided location '${location}' is not available for resource type '${type}'. List of available regions for the resource type is '${locations.join(',')}'.`;
    return no(400, 'LocationNotAvailableForResourceType', text);
  }
  return type === cluster ? (identityProblem(body, find) ?? clusterProblem(id, body, existing, versions)) : undefined;
}

/** An identity that is named has to be there, and to be known everywhere already. */
function identityProblem(body: JsonObject, find: (id: string) => AzureResource | undefined): AzureError | undefined {
  const named = listOf(asObject(body.identity)?.userAssignedIdentities).map(({ id }) => String(id));
  // Of other places this Azure knows nothing, and believes what it is told.
  const isHere = (id: string): boolean => find(parentOf(id) ?? '') !== undefined;
  const lost = named.find((id) => isHere(id) && Object.keys(find(id)?.facts ?? {}).length === 0);
  if (lost === undefined) return undefined;
  return no(
    400,
    'FailedIdentityOperation',
    `Identity operation for resource failed with error 'The identity ${lost} was not found'.`,
  );
}

const normal = (location: Json | undefined): string => String(location).toLowerCase().replaceAll(' ', '');

export const busy = ({ name, state }: AzureResource): AzureError =>
  no(
    409,
    'OperationNotAllowed',
    `Operation is not allowed: Another operation (${state}) is in progress on ${name}, please wait for it to finish before starting a new operation.`,
  );

function parentProblem(id: string, find: (id: string) => AzureResource | undefined): AzureError | undefined {
  const parent = parentOf(id);
  if (parent === undefined) return undefined;
  const found = find(parent);
  if (found === undefined) {
    return isGroup(parent)
      ? no(404, 'ResourceGroupNotFound', `Resource group '${nameIn(parent)}' could not be found.`)
      : no(
          404,
          'ParentResourceNotFound',
          `Failed to perform 'write' on resource(s) of '${nameIn(parent)}', because the parent resource '${parent}' could not be found.`,
        );
  }
  if (found.operation?.verb === 'delete') {
    return isGroup(parent)
      ? no(
          409,
          'ResourceGroupBeingDeleted',
          `The resource group '${nameIn(parent)}' is in deprovisioning state and cannot perform this operation.`,
        )
      : busy(found);
  }
  // One operation at a time in one cluster.
  return found.type === cluster && found.operation !== undefined ? busy(found) : parentProblem(parent, find);
}

const nameIn = (id: string): string => id.split('/').at(-1) ?? '';

const listOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : [];

/** What a cluster keeps for its life; also inside of a profile. */
const lasting: readonly (readonly string[])[] = [
  ['dnsPrefix'],
  ['fqdnSubdomain'],
  ['nodeResourceGroup'],
  ['location'],
  ['networkProfile', 'networkPlugin'],
  ['networkProfile', 'podCidr'],
  ['networkProfile', 'serviceCidr'],
  ['networkProfile', 'dnsServiceIP'],
];

function clusterProblem(
  id: string,
  body: JsonObject,
  existing: AzureResource | undefined,
  versions: readonly string[] | undefined,
): AzureError | undefined {
  const invalid = (code: string, message: string): AzureError => no(400, code, message);
  const prefix = body.dnsPrefix ?? body.fqdnSubdomain;
  if (typeof prefix !== 'string' || !/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,52}[a-zA-Z0-9])?$/.test(prefix)) {
    const why = `DNS prefix '${typeof prefix === 'string' ? prefix : ''}' is invalid. DNS prefix must contain between 1 and 54 characters.`;
    return invalid('InvalidParameter', `The value of parameter dnsPrefix is invalid. Error details: ${why}`);
  }
  const { kubernetesVersion: version } = body;
  if (typeof version === 'string' && versions !== undefined && !versions.some((one) => offers(one, version))) {
    const text = `Managed cluster ${nameIn(id)} is on version ${version} which is not supported in this region.`;
    return invalid('K8sVersionNotSupported', text);
  }
  const pools = listOf(body.agentPoolProfiles);
  const group = `MC_${id.split('/')[4]}_${nameIn(id)}_${normal(body.location)}`;
  if (body.nodeResourceGroup === undefined && group.length > 80) {
    return invalid(
      'InvalidParameter',
      `The length of the node resource group name is too long: ${group}. The maximum is 80.`,
    );
  }
  if (existing === undefined || Object.keys(existing.facts).length === 0) {
    if (!pools.some(({ mode }) => mode === 'System')) {
      return invalid('InvalidParameter', 'Must define at least one system pool.');
    }
    const small = pools.find(
      ({ mode, vmSize }) => mode === 'System' && /^Standard_(A1|B1|F1|D1|DS1)/i.test(String(vmSize)),
    );
    if (small !== undefined) {
      return invalid(
        'SystemPoolSkuTooLow',
        `System node pools must use VM sizes with at least 2 cores and 4GB memory; ${String(small.vmSize)} is too small.`,
      );
    }
    return undefined;
  }
  for (const path of lasting) {
    const [before, after] = [at(existing.body, path), at(body, path)];
    if (before !== undefined && after !== undefined && before !== after) {
      return invalid('PropertyChangeNotAllowed', `Changing property '${path.join('.')}' is not allowed.`);
    }
  }
  const known = new Set(listOf(existing.body.agentPoolProfiles).map(({ name }) => name));
  const added = pools.find(({ name }) => !known.has(name));
  if (added === undefined) return undefined;
  const text = `A new agent pool was introduced. Adding agent pools to an existing cluster is not allowed through managed cluster operations. For agent pool specific change, please use per agent pool operations: ${String(added.name)}`;
  return invalid('InvalidParameter', text);
}

const offers = (offered: string, wanted: string): boolean => offered === wanted || wanted.startsWith(`${offered}.`);

const at = (body: JsonObject, [first = '', second]: readonly string[]): Json | undefined =>
  second === undefined ? body[first] : asObject(body[first])?.[second];
