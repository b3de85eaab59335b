/**
 * Everything that can be said of a request before it is stored: rules, policy, and other requests in its way. What can't be read now is
 * left to the workflow, which judges again.
 */
import { toWireTime } from '../../kube/conditions.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import type { ClusterRequest } from '../request/request.ts';
import { type Resolved, resolve } from '../resolved/resolve.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { findingsAmong } from '../rules/together.ts';
import { checkRequest } from '../rules/validate.ts';
import type { RequestPlace } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';

/** As much of a place as there is: a command with a kubeconfig has a store and pool types alone. */
export type AskedPlace = Pick<RequestPlace, 'store' | 'poolTypes'> & Partial<Pick<RequestPlace, 'policy' | 'driver'>>;

export interface LookedAhead {
  findings: readonly Finding[];
  /** Absent where a field is malformed. */
  resolved?: Resolved;
  request?: ClusterRequest;
}

const mostNeighbours = 500;

export async function lookAhead(
  place: AskedPlace,
  object: unknown,
  now: number,
  signal?: AbortSignal,
): Promise<LookedAhead> {
  const today = toWireTime(now).slice(0, 10);
  const { request, resolved, findings } = checkRequest(object, { types: place.poolTypes, today });
  if (request === undefined || resolved === undefined || findings.some(isError)) return { findings };
  const all = [...findings, ...driverFindings(place, request)];
  const stored = asStored(request, now);
  const allowed = await place.policy?.check({ request: stored, resolved }, signal);
  if (allowed?.ok) all.push(...allowed.value);
  all.push(...(await collisions(place, resolved, signal)));
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
