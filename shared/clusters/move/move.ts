/**
 * Moves a request from the state into a management cluster: most often into the first cluster that requests have made. It is asked again
 * until it answers `moved`; it may run twice and die anywhere. Nothing in Azure is made or removed, only its marks change.
 *
 * 1. The request here is held: nothing is begun for it any more.
 * 2. A request of the same name is made there, held too, with the same record.
 * 3. The driver there sees the resource group. A driver of another subscription would see nothing, and would make it all again.
 * 4. What is in Azure gets the marks of the request there.
 * 5. The driver there takes the group and the cluster for its own, and nothing has the old marks.
 * 6. The request there is let go, and the one here is removed.
 */
import type { Failure } from '../../base/result.ts';
import { poolsExist } from '../activities/begin.ts';
import type { ClusterDriver } from '../drivers/contract.ts';
import { requestAnnotations, requestFinalizer } from '../request/marks.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import { registeredName } from '../steps/new-stage.ts';
import { isDeleting } from '../steps/phase.ts';
import { againAfter } from '../steps/place.ts';
import { type RequestRecord, recordOf } from '../steps/record.ts';
import { changeRequest, readRequest } from '../steps/request-access.ts';
import { workflowKey } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';
import { forgetEarlier, isSeen, isTaken } from './proof.ts';
import { again, lookAgainSeconds, type MoveResult, refused } from './result.ts';
import { continuesAnnotation, type HandOver, type HeldBy, ownerOf, prepare, release } from './take-over.ts';

/** Of the request here: the uids that its marks were given to. A request there that somebody deletes in between has had them. */
const movedTo = 'poolwright.dev/moved-to';
const heldBy: HeldBy = 'move';

type Parts = Pick<ClusterRequestServices, 'deployment' | 'place' | 'workflows' | 'register'>;

/** @param to The name of the place that it moves to. */
export async function moveRequest(
  services: Parts,
  ref: RequestRef,
  to: string,
  signal: AbortSignal,
): Promise<MoveResult> {
  const [here, there] = [services.place(ref.cluster), services.place(to)];
  const handOver = here && handOverOf(here.driver);
  if (here === undefined || here.api !== undefined || handOver === undefined) {
    return refused(`requests in ${ref.cluster} are not kept in the state`, 'name a request that is');
  }
  if (there?.api === undefined) {
    return refused(
      `${to} is not a cluster with requests of its own`,
      'set clusterRequests for it in the configuration',
    );
  }
  const read = await readRequest(here, ref, signal);
  if (read.found === 'unknown') return againAfter(read.failure);
  if (read.found === 'gone') return await isThere(services, there, ref, signal);
  const record = recordOf(read.request);
  const problem = problemOf(read.request, record);
  if (problem !== undefined || record === undefined) {
    return problem ?? refused('nothing was made for it yet', `create it in ${to} instead`);
  }
  const source = await hold(here, ref, signal);
  if ('do' in source) return source;
  if (await isRunning(services, ref)) return again('its workflow to stop');

  const { labels, namespace, name } = source.metadata;
  const origin = {
    namespace,
    name,
    uid: ref.uid,
    heldBy,
    spec: source.spec,
    record: {
      ...record,
      poolsExist: record.poolsExist || poolsExist(source),
      since: record.since ?? source.metadata.creationTimestamp,
    },
    ...(labels === undefined ? {} : { labels }),
    ...(source.status === undefined ? {} : { status: source.status }),
  };
  const prepared = await prepare(there.store, origin, services.deployment, signal);
  if (!prepared.ok) return notPrepared(prepared.error, to);
  const target = prepared.value;

  const given = givenTo(source);
  const earlier = given.filter((uid) => uid !== target.metadata.uid);
  for (const uid of earlier) {
    const forgotten = await forgetEarlier(services, there, target, uid, signal);
    if (forgotten !== undefined) return forgotten;
  }
  if (!given.includes(target.metadata.uid)) {
    const seen = await isSeen(services, there, target, signal);
    if (seen !== undefined) return seen;
    const marked = await mark(here, ref, target.metadata.uid, signal);
    if (marked !== undefined) return marked;
  }
  const owner = ownerOf(target, services.deployment, record.seed ?? ref.uid);
  for (const uid of [ref.uid, ...earlier]) {
    const handed = await handOver(uid, owner, signal);
    if (!handed.ok) return againAfter(handed.error, lookAgainSeconds);
    if (handed.value > 0) return again('Azure to show the new marks');
  }
  const proof = await isTaken(services, there, target, signal);
  if (proof !== undefined) return proof;
  return await finish(services, here, there, ref, target, signal);
}

const givenTo = ({ metadata }: StoredRequest): string[] =>
  (metadata.annotations?.[movedTo] ?? '').split(',').filter((uid) => uid !== '');

function handOverOf(driver: ClusterDriver & { handOver?: HandOver }): HandOver | undefined {
  return driver.handOver?.bind(driver);
}

function problemOf(request: StoredRequest, record: RequestRecord | undefined): MoveResult | undefined {
  if (isDeleting(request)) return refused('it is being deleted', 'wait until it is gone');
  const by = request.metadata.annotations?.[requestAnnotations.carriedOutBy] ?? 'direct';
  if (by === heldBy) return undefined;
  if (by !== 'direct') return refused(`${by} carries it out`, 'end that first');
  if (record === undefined || request.status?.readyAt === undefined) {
    return refused('its cluster has never been ready', 'wait until it is');
  }
  return undefined;
}

/** It was moved before: then the one there continues it. */
async function isThere(
  services: Parts,
  there: RequestPlace,
  ref: RequestRef,
  signal: AbortSignal,
): Promise<MoveResult> {
  const found = await there.store.get(ref, signal);
  if (!found.ok && found.error.kind !== 'not-found') return againAfter(found.error);
  if (found.ok && found.value.metadata.annotations?.[continuesAnnotation] === ref.uid) {
    const target = found.value;
    // Somebody has deleted the request here in between: what had the new marks by then is the other one's, and stays.
    const isHeld = target.metadata.annotations?.[requestAnnotations.carriedOutBy] === heldBy;
    const proof = isHeld ? await isTaken(services, there, target, signal) : undefined;
    if (proof !== undefined) return proof;
    const released = await release(there.store, target, heldBy, signal);
    return released.ok ? { do: 'moved', uid: target.metadata.uid } : againAfter(released.error);
  }
  return refused('there is no such request', 'check its name and its namespace');
}

async function hold(here: RequestPlace, ref: RequestRef, signal: AbortSignal): Promise<StoredRequest | MoveResult> {
  const held = await changeRequest(
    here,
    ref,
    ({ metadata }) =>
      metadata.annotations?.[requestAnnotations.carriedOutBy] === heldBy
        ? undefined
        : { metadata: { annotations: { [requestAnnotations.carriedOutBy]: heldBy } } },
    signal,
  );
  if (!held.ok) return againAfter(held.failure);
  return held.request ?? again('the request to be read again');
}

async function isRunning({ workflows }: Parts, ref: RequestRef): Promise<boolean> {
  const latest = await workflows.latest(workflowKey(ref, 'provision-cluster'));
  return latest?.status === 'running';
}

function notPrepared(failure: Failure, to: string): MoveResult {
  if (failure.kind === 'conflict' && failure.lasting === true) return refused(failure.message, `delete it in ${to}`);
  if (failure.kind === 'invalid') return refused(`${to} refuses it: ${failure.message}`, 'change the request');
  return againAfter(failure, lookAgainSeconds);
}

async function mark(
  here: RequestPlace,
  ref: RequestRef,
  uid: string,
  signal: AbortSignal,
): Promise<MoveResult | undefined> {
  const written = await changeRequest(
    here,
    ref,
    (request) => {
      const given = givenTo(request);
      return given.includes(uid) ? undefined : { metadata: { annotations: { [movedTo]: [...given, uid].join(',') } } };
    },
    signal,
  );
  return written.ok ? undefined : againAfter(written.failure);
}

async function finish(
  services: Parts,
  here: RequestPlace,
  there: RequestPlace,
  ref: RequestRef,
  target: StoredRequest,
  signal: AbortSignal,
): Promise<MoveResult> {
  // The request there registers its cluster itself, under the same name.
  const unregistered = await services.register.unregisterCluster(registeredName(ref), { uid: ref.uid }, signal);
  if (!unregistered.ok && unregistered.error.kind !== 'conflict') return againAfter(unregistered.error);
  const released = await release(there.store, target, heldBy, signal);
  if (!released.ok) return againAfter(released.error);
  const freed = await changeRequest(
    here,
    ref,
    ({ metadata }) =>
      metadata.finalizers?.includes(requestFinalizer) === true
        ? { metadata: { finalizers: metadata.finalizers.filter((one) => one !== requestFinalizer) } }
        : undefined,
    signal,
  );
  if (!freed.ok) return againAfter(freed.failure);
  const deleted = await here.store.delete(ref, { uid: ref.uid }, signal);
  if (!deleted.ok && deleted.error.kind !== 'not-found') return againAfter(deleted.error);
  return { do: 'moved', uid: target.metadata.uid };
}
