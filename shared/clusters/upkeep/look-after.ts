/**
 * One round for one place: events may all be lost; this is the truth. It starts the workflows that are missing, ends lifetimes, compares
 * clusters with their requests, and finds what has lost its request. One request that cannot be looked after holds up no other.
 */
import { inParallel } from '../../base/in-parallel.ts';
import { ok, type Result } from '../../base/result.ts';
import type { GaugeSample } from '../../observe/metrics.ts';
import type { Found } from '../drivers/contract.ts';
import { ensureRequestWorkflow } from '../ensure.ts';
import { restoreLost } from '../move/restore.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';
import { allRequests } from './all-requests.ts';
import { checkDrift } from './drift.ts';
import { expire } from './expire.ts';
import { collectOrphans } from './orphans.ts';
import { phaseOf, requestPhases } from './phase-of.ts';
import { dropRegistrations, keepRegistered } from './registration.ts';

/** Requests looked after at once: a cluster that does not answer must not hold up the others. */
const width = 8;

export async function lookAfterRequests(
  services: ClusterRequestServices,
  place: RequestPlace,
  signal: AbortSignal,
): Promise<void> {
  const log = services.log.child({ cluster: place.name, function: 'cluster-requests' });
  // Before the requests: what is made for one that comes in between is then not in this list.
  const found = await place.driver.find(undefined, signal);
  if (found.ok) setReady(services, place, found.value);
  else log.write('cluster-requests.undecided', { problem: found.error.message });
  const listed = await allRequests(place.store, signal);
  if (!listed.ok) return log.write('cluster-requests.undecided', { problem: listed.error.message });
  const registered = await services.register.list(signal);
  if (!registered.ok) log.write('cluster-requests.undecided', { problem: registered.error.message });
  setPhases(services, place, listed.value);
  const settled: StoredRequest[] = [];
  const begin = async (request: StoredRequest): Promise<void> => {
    if (await goesOn(services, place, request, signal)) settled.push(request);
  };
  await inParallel(listed.value, width, begin, () => signal.aborted);
  if (found.ok && !signal.aborted) await lookForLost(services, place, found.value, listed.value, signal);
  if (registered.ok) await dropRegistrations(services, place, registered.value, listed.value, signal);
  const uids = registered.ok ? new Set(registered.value.map(({ request }) => request.uid)) : undefined;
  // Last, and the longest unread first: a cluster that does not answer takes its time, and a round may end before it is through.
  await inParallel(
    settled.toSorted((one, other) => readAt(one) - readAt(other)),
    width,
    (request) => compare(services, place, request, uids, signal),
    () => signal.aborted,
  );
}

const readAt = ({ status }: StoredRequest): number => Date.parse(status?.driftCheckedAt ?? '') || 0;

/** Whether nothing is to be done for it: neither has its life ended, nor is a workflow due. */
async function goesOn(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (await expire(services, place, request, signal)) return false;
    return (await ensureRequestWorkflow(services, place.name, request)) === undefined;
  } catch (error) {
    undecided(services, place, request, error);
    return false;
  }
}

/** With the cluster itself. */
async function compare(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  registered: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (registered !== undefined) await keepRegistered(services, place, request, registered, signal);
    await checkDrift(services, place, request, signal);
  } catch (error) {
    undecided(services, place, request, error);
  }
}

function undecided(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  error: unknown,
): void {
  const { namespace, name, uid } = request.metadata;
  const log = services.log.child({ cluster: place.name, request: `${namespace}/${name}`, uid });
  log.write('cluster-requests.undecided', { error });
}

async function lookForLost(
  services: ClusterRequestServices,
  place: RequestPlace,
  found: readonly Found[],
  own: readonly StoredRequest[],
  signal: AbortSignal,
): Promise<void> {
  const known = await knownRequests(services, place, own, signal);
  if (known.ok) {
    const restored = await restoreLost(services, place, found, own, known.value, signal);
    await collectOrphans(services, place, found, new Set([...known.value, ...restored]), signal);
    return;
  }
  const log = services.log.child({ cluster: place.name, function: 'cluster-requests' });
  log.write('cluster-requests.undecided', { problem: known.error.message });
}

/** A subscription shows the things of every place that makes clusters in it. */
async function knownRequests(
  { places }: ClusterRequestServices,
  place: RequestPlace,
  own: readonly StoredRequest[],
  signal: AbortSignal,
): Promise<Result<ReadonlySet<string>>> {
  const uids = new Set(own.map(({ metadata }) => metadata.uid));
  if (place.driver.name !== 'arm') return ok(uids);
  for (const other of places) {
    if (other === place) continue;
    const listed = await allRequests(other.store, signal);
    if (!listed.ok) return listed;
    for (const { metadata } of listed.value) uids.add(metadata.uid);
  }
  return ok(uids);
}

function setPhases(
  { metrics }: ClusterRequestServices,
  { name: cluster }: RequestPlace,
  all: readonly StoredRequest[],
) {
  const phases = Map.groupBy(all, phaseOf);
  const samples = requestPhases.map((phase) => ({
    labels: { cluster, phase },
    value: phases.get(phase)?.length ?? 0,
  }));
  metrics.clusterRequests.replace(cluster, samples);
}

function setReady({ metrics }: ClusterRequestServices, { name: cluster }: RequestPlace, found: readonly Found[]): void {
  const counts = new Map<string, GaugeSample<'cluster' | 'kind' | 'status' | 'reason'>>();
  for (const { manifest, ready } of found) {
    if (ready === undefined) continue;
    const labels = { cluster, kind: manifest.kind, status: ready.status, reason: ready.reason };
    const key = JSON.stringify(labels);
    counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
  }
  metrics.asoReadyCondition.replace(cluster, [...counts.values()]);
}
