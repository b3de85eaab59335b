/**
 * Makes requests again whose state was lost: a cluster without one has its record in its tags. Two readings, a grace apart, come first, and
 * the cluster itself is asked: a list may still show what is gone. It may run twice and die anywhere.
 */

import { defined } from '../../base/defined.ts';
import type { JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { seenTwice } from '../../state/two-readings.ts';
import type { ClusterDriver, Found } from '../drivers/contract.ts';
import { requestAnnotations } from '../request/marks.ts';
import { resolve } from '../resolved/resolve.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { manifestsOf } from '../steps/judge.ts';
import { isElsewhere } from '../steps/own-things.ts';
import { type RequestRecord, recordOf } from '../steps/record.ts';
import { type RecordInAzure, recordInAzure } from '../steps/record-in-azure.ts';
import type { StoredRequest } from '../store/contract.ts';
import {
  continuesAnnotation,
  type HandOver,
  type HeldBy,
  type Origin,
  ownerOf,
  prepare,
  release,
} from './take-over.ts';

const heldBy: HeldBy = 'restore';

/**
 * @param own The requests of the place.
 * @param known Uids of all requests.
 * @returns The uids of those that are made again, or will be.
 */
export async function restoreLost(
  services: ClusterRequestServices,
  place: RequestPlace,
  found: readonly Found[],
  own: readonly StoredRequest[],
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const restored = new Set<string>();
  const driver: ClusterDriver & { handOver?: HandOver } = place.driver;
  // Elsewhere the object of the request is its record.
  if (place.api !== undefined || driver.handOver === undefined) return restored;
  const handOver = driver.handOver.bind(driver);
  for (const request of own) await goOn(services, place, handOver, request, signal);
  const lost = found.filter(({ owner }) => owner.deployment === services.deployment && !known.has(owner.uid));
  for (const [uid, things] of Map.groupBy(lost, ({ owner }) => owner.uid)) {
    const record = recordIn(things);
    if (record === undefined) continue;
    const origin = originOf(place, uid, record, things);
    // A copy of a group has its tags, too, and is no cluster of the request: to make that again would build another one.
    const own = things.filter((one) => !isElsewhere(one, origin.record));
    if (!(await lives(driver, own, signal))) continue;
    restored.add(uid);
    const seen = `cluster-request-lost/${place.name}/${uid}`;
    if (!(await seenTwice(services, seen, place.settings.graceSeconds))) continue;
    const done = await restore(services, place, handOver, origin, signal);
    tell(services, place, record, uid, done);
  }
  return restored;
}

function tell(
  services: ClusterRequestServices,
  place: RequestPlace,
  { namespace, name }: { namespace: string; name: string },
  uid: string,
  done: Result<void>,
): void {
  const log = services.log.child({ cluster: place.name, request: `${namespace}/${name}`, uid });
  if (done.ok) log.write('cluster-request.restored');
  else log.write('cluster-request.not-restored', { problem: done.error.message });
}

/** One that is made, and was not let go: the process has died in between, when nothing in Azure had the old marks any more. */
async function goOn(
  services: ClusterRequestServices,
  place: RequestPlace,
  handOver: HandOver,
  request: StoredRequest,
  signal: AbortSignal,
): Promise<void> {
  const { annotations = {}, uid } = request.metadata;
  const record = recordOf(request);
  const continued = annotations[continuesAnnotation];
  if (annotations[requestAnnotations.carriedOutBy] !== heldBy || record === undefined || continued === undefined)
    return;
  const done = await giveTo(
    services,
    place,
    handOver,
    request,
    { uid: continued, seed: record.seed ?? continued },
    signal,
  );
  tell(services, place, request.metadata, uid, done);
}

function recordIn(things: readonly Found[]): RecordInAzure | undefined {
  for (const { manifest } of things) {
    const record = recordInAzure(manifest.spec.tags as JsonObject | undefined);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** The group and the cluster are there, and nobody deletes them. */
async function lives(driver: ClusterDriver, things: readonly Found[], signal: AbortSignal): Promise<boolean> {
  for (const kind of ['ResourceGroup', 'ManagedCluster']) {
    const one = things.find(({ manifest }) => manifest.kind === kind);
    const seen = one === undefined ? undefined : await driver.observe(one.manifest, signal);
    if (seen === undefined || !seen.ok || seen.value === undefined) return false;
    const { provisioningState } = seen.value.status ?? {};
    if (provisioningState === 'Deleting') return false;
  }
  return true;
}

function originOf({ poolTypes }: RequestPlace, uid: string, saved: RecordInAzure, things: readonly Found[]): Origin {
  const { namespace, name, spec, versions } = saved;
  const object = { apiVersion: '', kind: '', metadata: { namespace, name, uid }, spec };
  const seed = things.find(({ owner }) => owner.seed !== undefined)?.owner.seed;
  const record: Origin['record'] = {
    deployment: '',
    attempt: 1,
    resolved: saved.resolved ?? resolve(object, poolTypes),
    versions,
    begun: [],
    failures: 0,
    // Their autoscaler has moved their count.
    poolsExist: true,
    ...defined({ seed, since: typeof saved.since === 'string' ? saved.since : undefined }),
  };
  return { namespace, name, uid, heldBy, spec, record };
}

async function restore(
  services: ClusterRequestServices,
  place: RequestPlace,
  handOver: HandOver,
  origin: Origin,
  signal: AbortSignal,
): Promise<Result<void>> {
  const whole: RequestRecord = { ...origin.record, uid: origin.uid, generation: 1, spec: origin.spec };
  const begun = manifestsOf(services, whole).map(({ stage }) => stage);
  const prepared = await prepare(
    place.store,
    { ...origin, record: { ...origin.record, begun } },
    services.deployment,
    signal,
  );
  if (!prepared.ok) return prepared;
  const from = { uid: origin.uid, seed: origin.record.seed ?? origin.uid };
  return await giveTo(services, place, handOver, prepared.value, from, signal);
}

async function giveTo(
  { deployment }: ClusterRequestServices,
  { store }: RequestPlace,
  handOver: HandOver,
  request: StoredRequest,
  { uid, seed }: { uid: string; seed: string },
  signal: AbortSignal,
): Promise<Result<void>> {
  const handed = await handOver(uid, ownerOf(request, deployment, seed), signal);
  if (!handed.ok) return handed;
  const released = await release(store, request, heldBy, signal);
  return released.ok ? ok(undefined) : released;
}
