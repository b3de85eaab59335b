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
import type { RegisteredCluster } from '../registered/contract.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';
import { allRequests } from './all-requests.ts';
import { checkDrift } from './drift.ts';
import { expire } from './expire.ts';
import { collectOrphans } from './orphans.ts';
import { phaseOf, requestPhases } from './phase-of.ts';
import { keepRegistered } from './registration.ts';

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
  await inParallel(
    listed.value,
    width,
    (request) => lookAfter(services, place, request, registered.ok ? registered.value : undefined, signal),
    () => signal.aborted,
  );
  if (!found.ok || signal.aborted) return;
  const known = await knownRequests(services, place, listed.value, signal);
  if (known.ok) {
    const restored = await restoreLost(services, place, found.value, listed.value, known.value, signal);
    await collectOrphans(services, place, found.value, new Set([...known.value, ...restored]), signal);
  } else log.write('cluster-requests.undecided', { problem: known.error.message });
}

async function lookAfter(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  registered: readonly RegisteredCluster[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (await expire(services, place, request, signal)) return;
    if ((await ensureRequestWorkflow(services, place.name, request)) !== undefined) return;
    if (registered !== undefined) await keepRegistered(services, place, request, registered, signal);
    await checkDrift(services, place, request, signal);
  } catch (error) {
    const { namespace, name, uid } = request.metadata;
    const log = services.log.child({ cluster: place.name, request: `${namespace}/${name}`, uid });
    log.write('cluster-requests.undecided', { error });
  }
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
