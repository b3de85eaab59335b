/**
 * Everything that can be said of a request before it is stored: rules, policy, and other requests in its way. What can't be read now is
 * left to the workflow, which judges again.
 */
import { asObject, type Json } from '../../base/json.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { generate } from '../manifests/generate.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import type { ClusterRequest } from '../request/request.ts';
import { type Resolved, resolve } from '../resolved/resolve.ts';
import { checkAccepted } from '../rules/accepted.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { findingsAmong } from '../rules/together.ts';
import { checkRequest } from '../rules/validate.ts';
import type { RequestPlace } from '../services.ts';
import { recordOf } from '../steps/record.ts';
import type { StoredRequest } from '../store/contract.ts';

/** As much of a place as there is: a command with a kubeconfig has a store and pool types alone. */
export type AskedPlace = Pick<RequestPlace, 'store' | 'poolTypes'> &
  Partial<Pick<RequestPlace, 'policy' | 'driver' | 'preflight'>>;

export interface LookedAhead {
  findings: readonly Finding[];
  /** Absent where a field is malformed. */
  resolved?: Resolved;
  request?: ClusterRequest;
}

export interface LookAheadOptions {
  signal?: AbortSignal | undefined;
  /** With the uid and the time that it has, or is about to get. */
  stored?: StoredRequest | undefined;
  /** It was accepted before: what has its names is its own, or the workflow finds out. */
  exists?: boolean;
}

const mostNeighbours = 500;

export async function lookAhead(
  place: AskedPlace,
  object: unknown,
  now: number,
  { signal, stored: known, exists = false }: LookAheadOptions = {},
): Promise<LookedAhead> {
  const surroundings = { types: place.poolTypes, today: toWireTime(now).slice(0, 10) };
  const record = known && recordOf(known);
  const first = checkAccepted(asObject(object as Json) ?? {}, record?.spec, surroundings);
  // What exists was accepted, whatever Azure offers by now.
  const asked = exists ? undefined : place.preflight?.facts;
  const facts = first.resolved && (await asked?.(first.resolved, signal));
  const { request, resolved, findings } =
    facts === undefined ? first : checkRequest(object, { ...surroundings, ...facts });
  if (request === undefined || resolved === undefined || findings.some(isError)) return { findings };
  const all = [...findings, ...driverFindings(place, request)];
  // The policy counts the requests that came before this one.
  const stored = known === undefined ? asStored(request, now) : { ...known, spec: request.spec };
  const allowed = await place.policy?.check({ request: stored, resolved }, signal);
  if (allowed?.ok) all.push(...allowed.value);
  all.push(...(await collisions(place, resolved, signal)));
  if (!exists && !all.some(isError)) {
    all.push(...(await foreignThings(place, resolved, stored.metadata.uid || unusedUid, signal)));
  }
  return { findings: all, resolved, request };
}

/** A name is taken where another request of the team has it, also one that is not carried out yet. */
export async function collisions(
  { store, poolTypes }: AskedPlace,
  resolved: Resolved,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const page = await store.list({ namespace: resolved.namespace, limit: mostNeighbours }, signal);
  if (!page.ok) return [];
  const others = page.value.items.filter(({ metadata }) => metadata.name !== resolved.name);
  const placed = others.flatMap((one) => {
    const { location } = one.spec as { location?: unknown };
    if (typeof location !== 'string') return [];
    const { namespace, name } = one.metadata;
    return [{ resolved: resolveStored(one, poolTypes), where: `the request ${namespace}/${name}` }];
  });
  return findingsAmong([...placed, { resolved, where: '' }]).at(-1) ?? [];
}

/** What has the names of the group or of the cluster and was not made for this request, as far as the driver can see it without a write. */
async function foreignThings(
  { driver }: AskedPlace,
  resolved: Resolved,
  uid: string,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const served = await driver?.served(signal);
  if (driver === undefined || served?.ok !== true) return [];
  const { stages } = generate(resolved, { deployment: '', uid, served: served.value });
  const named = stages.flatMap(({ manifests }) => manifests).filter(({ kind }) => kind in nameFields);
  const looks = named.map(async (manifest): Promise<Finding[]> => {
    const [there, own] = await Promise.all([driver.observe(manifest, signal), driver.look(manifest, signal)]);
    const isForeign = there.ok && there.value !== undefined && own.ok && own.value.state === 'absent';
    if (!isForeign) return [];
    const { field, what } = nameFields[manifest.kind as keyof typeof nameFields];
    const cause = `${what} ${String(manifest.spec.azureName ?? manifest.metadata.name)} exists, and this request did not make it`;
    return [
      { severity: 'error', field, code: 'ClusterNotOurs', cause, fix: 'use another name, or remove what exists' },
    ];
  });
  return (await Promise.all(looks)).flat();
}

const nameFields = {
  ResourceGroup: { field: 'spec.resourceGroup', what: 'the resource group' },
  ManagedCluster: { field: 'spec.clusterName', what: 'the cluster' },
} as const;
/** Nothing has it, so whatever exists is not this request's. */
const unusedUid = '00000000-0000-0000-0000-000000000000';

const resolveStored = ({ metadata: { name, namespace }, spec }: StoredRequest, types: AskedPlace['poolTypes']) =>
  resolve({ apiVersion: '', kind: '', metadata: { name, namespace }, spec }, types);

function driverFindings({ driver, store }: AskedPlace, { spec }: ClusterRequest): Finding[] {
  if (driver === undefined || (spec.driver ?? driver.name) === driver.name) return [];
  const cause = `the driver ${driver.name} carries out the requests in ${store.name}, and this one asks for ${spec.driver}`;
  const fix = 'remove the field, or make the request where that driver is used';
  return [{ severity: 'error', field: 'spec.driver', code: 'DriverNotAvailable', cause, fix }];
}

/** As it would be stored now; nothing of it has a uid. */
const asStored = ({ metadata: { name, namespace, uid = '' }, spec }: ClusterRequest, now: number): StoredRequest => ({
  apiVersion: clusterRequestApiVersion,
  kind: clusterRequestKind.kind,
  metadata: { name, namespace, uid, resourceVersion: '', creationTimestamp: toWireTime(now) },
  spec,
});
