/**
 * The end of a request: everything that it has made goes, in an order in which nothing waits for what is gone already; then the request
 * itself. What was not made for it stays.
 */
import { defined } from '../../base/defined.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { removing, requestConditions, requestFinalizer } from '../request/marks.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import type { BeginRemovalResult, ReleaseResult, RemovalResult } from '../steps/answers.ts';
import { manifestsOf } from '../steps/judge.ts';
import { isElsewhere, keyOf } from '../steps/own-things.ts';
import { isDeleting, isHeld } from '../steps/phase.ts';
import { againAfter, findPlace, isAgain, logFor } from '../steps/place.ts';
import { recordOf } from '../steps/record.ts';
import { changeRequest, readRequest } from '../steps/request-access.ts';
import { servedNoMore } from '../steps/served-no-more.ts';
import { statusChange, withConditions } from '../steps/status.ts';
import { workflowKey } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';

interface Input {
  ref: RequestRef;
}
interface Context {
  signal: AbortSignal;
}
type Poll<T> = { done: true; value: T } | { done: false; retryAfterSeconds: number };

/** The first goes first. What is in one group may go together. */
const order: readonly (readonly string[])[] = [
  ['FluxConfiguration', 'Kustomization'],
  ['Extension', 'GitRepository'],
  ['FederatedIdentityCredential', 'RoleAssignment'],
  ['ManagedCluster'],
  // They go with their cluster; what is left of them is only objects.
  ['ManagedClustersAgentPool'],
  ['UserAssignedIdentity'],
  ['ResourceGroup'],
];
const policyAnnotation = 'serviceoperator.azure.com/reconcile-policy';

/** Whether the request is really being deleted, and whether somebody still makes things for it. */
export const beginRemoval =
  (services: ClusterRequestServices) =>
  async ({ ref }: Input, { signal }: Context): Promise<BeginRemovalResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found === 'gone') return { do: 'end', why: 'the request is gone' };
    if (!isDeleting(read.request)) return { do: 'end', why: 'the request is not being deleted' };
    if (!isHeld(read.request)) return { do: 'end', why: 'the request is not held by us' };
    const said = await sayRemoving(services, place, ref, undefined, read.request, signal);
    if (said !== undefined) return said;
    return (await provisionRuns(services, ref)) ? { do: 'provision-runs' } : { do: 'go' };
  };

export const provisionStopped =
  (services: ClusterRequestServices) =>
  async ({ ref }: Input): Promise<Poll<null>> =>
    (await provisionRuns(services, ref)) ? { done: false, retryAfterSeconds: 1 } : { done: true, value: null };

async function provisionRuns(services: ClusterRequestServices, ref: RequestRef): Promise<boolean> {
  const latest = await services.workflows.latest(workflowKey(ref, 'provision-cluster'));
  return latest?.status === 'running';
}

/** Between two looks at nodes that go. */
const nodesSeconds = 5;

/** Removes what there is, group by group, and answers when nothing is left. */
export const removeRequest =
  (services: ClusterRequestServices) =>
  async ({ ref }: Input, { signal }: Context): Promise<Poll<RemovalResult>> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return { done: false, retryAfterSeconds: place.seconds };
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return { done: false, retryAfterSeconds: 2 };
    if (read.found === 'gone') return { done: true, value: { do: 'stop', why: 'the request is gone' } };
    const { request } = read;
    if (!isDeleting(request)) return { done: true, value: { do: 'stop', why: 'the request is not being deleted' } };

    const served = await servedNoMore(services, place, ref, request, signal);
    if (!served.ok) return { done: false, retryAfterSeconds: againAfter(served.error).seconds };
    if (served.value !== undefined) {
      await sayRemoving(services, place, ref, { waitingFor: served.value }, request, signal);
      return { done: false, retryAfterSeconds: nodesSeconds };
    }
    const targets = await whatThereIs(services, place, ref, request, signal);
    if (targets === undefined) return { done: false, retryAfterSeconds: 5 };
    const waiting = await removeInOrder(place, targets, signal);
    if (waiting === undefined) return { done: true, value: { do: 'clean' } };
    await sayRemoving(services, place, ref, waiting, request, signal);
    const since = Date.parse(request.metadata.deletionTimestamp ?? '');
    const elapsed = Number.isNaN(since) ? 0 : Math.max(0, services.clock.now() - since);
    return { done: false, retryAfterSeconds: Math.min(Math.max(0.2, elapsed / 4000), place.settings.pollSeconds) };
  };

/** What the record says may exist, and whatever else has the marks of the request. Undefined: nobody can tell now. */
async function whatThereIs(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  signal: AbortSignal,
): Promise<Manifest[] | undefined> {
  // The guard as it is now: it may have been set, or lifted, since the last apply.
  const deleteGuard = request.spec.deleteGuard === true;
  const record = recordOf(request);
  const planned = record === undefined ? [] : manifestsOf(services, record, { deleteGuard });
  const ofRecord = planned.filter(({ cluster }) => cluster === 'management').flatMap(({ manifests }) => manifests);
  const found = await place.driver.find(ref.uid, signal);
  if (!found.ok) {
    logFor(services, ref).write('cluster-request.removal.undecided', { problem: found.error.message });
    return undefined;
  }
  const policy = deleteGuard ? 'detach-on-delete' : 'manage';
  const targets = new Map(ofRecord.map((manifest) => [keyOf(manifest), manifest]));
  for (const { manifest } of found.value.filter((one) => !isElsewhere(one, record))) {
    const { metadata } = manifest;
    const annotations = { ...metadata.annotations, [policyAnnotation]: policy };
    const known = targets.get(keyOf(manifest));
    targets.set(keyOf(manifest), known ?? { ...manifest, metadata: { ...metadata, annotations } });
  }
  return [...targets.values()];
}

/** What a removal is held up by. */
export interface Remaining {
  waitingFor: string;
  /** Of the first refusal, if there is one: without it, the removal takes its usual time. */
  code?: string;
}

/** Undefined: nothing is left. */
export async function removeInOrder(
  { driver }: RequestPlace,
  targets: readonly Manifest[],
  signal: AbortSignal,
): Promise<Remaining | undefined> {
  for (const kinds of order) {
    const waiting: string[] = [];
    let code: string | undefined;
    for (const manifest of targets.filter(({ kind }) => kinds.includes(kind))) {
      const before = await driver.lookRemoved(manifest, signal);
      if (before.ok && before.value.state === 'gone') continue;
      const removed = await driver.remove(manifest, signal);
      if (!removed.ok) {
        code ??= removed.error.code;
        waiting.push(`${keyOf(manifest)}: ${removed.error.message}`);
        continue;
      }
      const after = await driver.lookRemoved(manifest, signal);
      if (!after.ok) waiting.push(`${keyOf(manifest)}: ${after.error.message}`);
      else if (after.value.state === 'pending') {
        const { waitingFor, fault } = after.value;
        code ??= fault?.code;
        waiting.push(fault === undefined ? waitingFor : `${waitingFor} (${fault.code}: ${fault.message})`);
      }
    }
    if (waiting.length > 0) return { waitingFor: waiting.join('; '), ...defined({ code }) };
  }
  return undefined;
}

/** Undefined: it is said, or stands there already. */
async function sayRemoving(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  remaining: Remaining | undefined,
  known: StoredRequest,
  signal: AbortSignal,
) {
  const written = await changeRequest(
    place,
    ref,
    (request) => {
      const { deleting, ready } = requestConditions;
      const message =
        remaining === undefined ? 'The cluster is being removed.' : `It waits for ${remaining.waitingFor}.`;
      const reason = remaining?.code ?? removing;
      const conditions = withConditions(
        request,
        [
          { type: deleting, status: 'True', reason, message },
          { type: ready, status: 'False', reason: 'Deleting', message: 'The request is being deleted.' },
        ],
        services.clock.now(),
      );
      const status = statusChange(request, defined({ conditions }));
      return status && { status };
    },
    signal,
    known,
  );
  return written.ok ? undefined : againAfter(written.failure);
}

/** The last step: the request itself may go. */
export const releaseRequest =
  (services: ClusterRequestServices) =>
  async ({ ref }: Input, { signal }: Context): Promise<ReleaseResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    const record = read.found === 'request' ? recordOf(read.request) : undefined;
    const left = await place.driver.find(ref.uid, signal);
    if (!left.ok) return againAfter(left.error);
    const first = left.value.find((one) => !isElsewhere(one, record));
    if (first !== undefined) return { do: 'left', why: `${keyOf(first.manifest)} has appeared again` };
    const written = await changeRequest(
      place,
      ref,
      ({ metadata }) => {
        const finalizers = metadata.finalizers ?? [];
        if (metadata.deletionTimestamp === undefined || !finalizers.includes(requestFinalizer)) return undefined;
        return { metadata: { finalizers: finalizers.filter((one) => one !== requestFinalizer) } };
      },
      signal,
    );
    if (!written.ok) return againAfter(written.failure);
    logFor(services, ref).write('cluster-request.gone');
    return { do: 'released' };
  };
