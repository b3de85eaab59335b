/**
 * advanceStage: takes one stage as far as it goes now, and says what it waits for. It is asked again and again until the stage is ready,
 * has failed, or the request has become another one.
 */
import { doubled } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { fingerprint } from '../../base/fingerprint.ts';
import type { ConditionChange } from '../../kube/conditions.ts';
import { toWireTime } from '../../kube/conditions.ts';
import type { Fault, Outputs } from '../drivers/contract.ts';
import type { PlannedStage } from '../manifests/manifest.ts';
import { pausedReason, requestAnnotations, requestConditions } from '../request/marks.ts';
import type { Stage } from '../request/stages.ts';
import type { ClusterRequestStatus, StageStatus } from '../request/status.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import type { StageResult } from '../steps/answers.ts';
import { manifestsOf } from '../steps/judge.ts';
import { advanceManagement } from '../steps/management-stage.ts';
import { advanceNew } from '../steps/new-stage.ts';
import { isCancelled, isCarriedOutElsewhere, isDeleting } from '../steps/phase.ts';
import { findPlace, isAgain, logFor } from '../steps/place.ts';
import type { Progress } from '../steps/progress.ts';
import { type RequestRecord, recordOf } from '../steps/record.ts';
import { changeRequest, readRequest } from '../steps/request-access.ts';
import { changeStage, type StageChange, statusChange, withConditions } from '../steps/status.ts';
import type { StoredRequest } from '../store/contract.ts';

interface Input {
  ref: RequestRef;
  attempt: number;
  stage: Stage;
}
interface Context {
  signal: AbortSignal;
}
export type StageAnswer = { done: true; value: StageResult } | { done: false; retryAfterSeconds: number };

/** Nobody reads faster, and each word is a write. */
const quietMs = 3000;
const longestRetrySeconds = 3600;
/** The operator may sleep for an hour after a failure. */
const wakeSeconds = 180;
/** Longer than any attempt. */
const againSeconds = 86_400;

export const advanceStage =
  (services: ClusterRequestServices) =>
  async ({ ref, attempt, stage }: Input, { signal }: Context): Promise<StageAnswer> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return { done: false, retryAfterSeconds: place.seconds };
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return { done: false, retryAfterSeconds: read.failure.retryAfterSeconds ?? 2 };
    if (read.found === 'gone') return stop('the request is gone');
    const { request } = read;
    const record = recordOf(request);
    const why = stopReason(request, record, attempt);
    if (why !== undefined || record === undefined) return stop(why ?? 'its record is gone');
    const entry = request.status?.stages?.find(({ name }) => name === stage);
    if (entry?.state === 'Succeeded') return { done: true, value: { do: 'ready' } };

    const planned = manifestsOf(services, record);
    const current = planned.find((one) => one.stage === stage);
    if (current === undefined) return stop(`the request has no stage ${stage} any more`);
    const context = { ref, record, planned, current, entry };
    const paused = await place.paused?.();
    if (paused !== undefined) {
      await write(services, place, context, request, pausedProgress(paused), signal);
      return { done: false, retryAfterSeconds: pausedSeconds };
    }
    const seen =
      current.cluster === 'management' && stage !== 'ManagedCluster'
        ? await advanceManagement(place.driver, current, observer(services, place), signal)
        : await advanceNew(services, place, ref, record, planned, current, observer(services, place), signal);
    const progress = await triedAgain(services, place, context, seen, signal);
    return await write(services, place, context, request, progress, signal);
  };

/** How often a paused request looks whether the pause is over. */
const pausedSeconds = 15;

const pausedProgress = (message: string): Progress => ({
  state: 'pending',
  waitingFor: 'the pause to end',
  fault: { kind: 'not-ready', code: pausedReason, message, final: false },
});

const stop = (why: string): StageAnswer => ({ done: true, value: { do: 'stop', why } });

/** Why this attempt has nothing more to do for the request. */
export function stopReason(
  request: StoredRequest,
  record: RequestRecord | undefined,
  attempt: number,
): string | undefined {
  if (isDeleting(request)) return 'the request is being deleted';
  if (isCancelled(request)) return 'the request is cancelled';
  if (isCarriedOutElsewhere(request)) return 'the request is carried out elsewhere';
  if (record === undefined) return 'its record is gone';
  if (record.attempt !== attempt) return 'a newer attempt has begun';
  return record.generation === request.metadata.generation ? undefined : 'the request has changed';
}

interface StageContext {
  ref: RequestRef;
  record: RequestRecord;
  planned: readonly PlannedStage[];
  current: PlannedStage;
  entry: StageStatus | undefined;
}

async function write(
  services: ClusterRequestServices,
  place: RequestPlace,
  context: StageContext,
  request: StoredRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<StageAnswer> {
  const { ref, current, entry, record } = context;
  const now = services.clock.now();
  const startedAt = Date.parse(entry?.startedAt ?? '') || now;
  const elapsed = Math.max(0, now - startedAt);
  const ending = endOf(progress, current, elapsed);
  const change = stageChange(progress, ending);
  // What lasts a moment only is not worth a write.
  const isNews =
    ending !== undefined || progressFault(progress) !== undefined || elapsed >= quietMs || entry?.state === 'Pending';
  const written = isNews
    ? await changeRequest(
        place,
        ref,
        (read) => {
          if (stopReason(read, recordOf(read), record.attempt) !== undefined) return undefined;
          const status = statusChange(read, fieldsOf(read, context, progress, change, ending, now, place));
          return status && { status };
        },
        signal,
        request,
      )
    : { ok: true as const, request };
  if (!written.ok) return { done: false, retryAfterSeconds: 1 };
  if (ending !== undefined) {
    finished(services, context, ending, elapsed, request);
    return { done: true, value: ending === 'ready' ? { do: 'ready' } : { do: 'failed', code: ending.code } };
  }
  await wakeSometimes(services, place, context, request, progress, signal);
  // Half as long again as it has taken: soon at first, and in few looks for what takes minutes.
  const least = progressFault(progress) === undefined ? 0.05 : 2;
  return { done: false, retryAfterSeconds: Math.min(Math.max(least, elapsed / 2000), place.settings.pollSeconds) };
}

const progressFault = (progress: Progress): Fault | undefined => ('fault' in progress ? progress.fault : undefined);

/** Undefined while it goes on. */
function endOf(
  progress: Progress,
  { deadlineSeconds, stage }: PlannedStage,
  elapsed: number,
): 'ready' | Fault | undefined {
  if (progress.state === 'ready') return 'ready';
  if (progress.state === 'failed') return progress.fault;
  if (progress.state === 'foreign') {
    return {
      kind: 'conflict',
      code: 'ClusterNotOurs',
      message: `${progress.whose}. Nothing of it was changed.`,
      final: true,
    };
  }
  if (elapsed < deadlineSeconds * 1000) return undefined;
  const { fault, waitingFor } = progress;
  if (fault !== undefined) return { ...fault, final: false };
  const message = `stage ${stage} was not ready within ${Math.round(deadlineSeconds / 60)} minutes; it waited for ${waitingFor}`;
  return { kind: 'not-ready', code: 'StageDeadlineExceeded', message, final: false };
}

function stageChange(progress: Progress, ending: 'ready' | Fault | undefined): StageChange {
  if (ending === 'ready') return { state: 'Succeeded' };
  if (ending !== undefined) return { state: 'Failed', code: ending.code, message: ending.message };
  const fault = progressFault(progress);
  const waitingFor = progress.state === 'pending' ? progress.waitingFor : undefined;
  return fault === undefined
    ? { state: 'Running', waitingFor }
    : { state: 'Waiting', waitingFor, code: fault.code, message: fault.message };
}

function fieldsOf(
  read: StoredRequest,
  { record, current, planned }: StageContext,
  progress: Progress,
  change: StageChange,
  ending: 'ready' | Fault | undefined,
  now: number,
  place: RequestPlace,
): Parameters<typeof statusChange>[1] {
  const next = planned[planned.findIndex(({ stage }) => stage === current.stage) + 1];
  let stages = changeStage(read.status?.stages ?? [], current.stage, change, now, current.deadlineSeconds);
  // The next one begins with the end of this one: one write for both.
  if (ending === 'ready' && next !== undefined) {
    stages = changeStage(stages, next.stage, { state: 'Running' }, now, next.deadlineSeconds);
  }
  const cluster = clusterFields(read, progress);
  const fault = ending === 'ready' ? undefined : ending;
  const failures = record.failures + 1;
  const retryAt =
    fault === undefined || fault.final
      ? undefined
      : toWireTime(now + doubled(failures, place.settings.retrySeconds, longestRetrySeconds) * 1000);
  return defined({
    stage: ending === 'ready' ? (next?.stage ?? current.stage) : current.stage,
    stages,
    cluster,
    clusterReadyAt:
      ending === 'ready' && current.stage === 'ManagedCluster' && read.status?.clusterReadyAt === undefined
        ? toWireTime(now)
        : undefined,
    retryAt,
    conditions: withConditions(read, conditionsOf(current.stage, progress, ending), now),
  });
}

function conditionsOf(stage: Stage, progress: Progress, ending: 'ready' | Fault | undefined): ConditionChange[] {
  const { ready, owned, reachable, registered } = requestConditions;
  const changes: ConditionChange[] = [];
  if (progress.state === 'foreign') {
    changes.push({ type: owned, status: 'False', reason: 'ClusterNotOurs', message: progress.whose });
  } else if (ending === 'ready' && stage === 'ManagedCluster') {
    changes.push({ type: owned, status: 'True' }, { type: reachable, status: 'True' });
  }
  if (progress.state === 'ready' && progress.registeredAs !== undefined) {
    changes.push({ type: registered, status: 'True', message: `It is served as ${progress.registeredAs}.` });
  }
  if (ending !== undefined && ending !== 'ready') {
    changes.push({ type: ready, status: 'False', reason: ending.code, message: `${stage}: ${ending.message}` });
  }
  return changes;
}

/** What is known of the cluster grows; nothing that was known is forgotten. */
function clusterFields(read: StoredRequest, progress: Progress): ClusterRequestStatus['cluster'] {
  const outputs: Outputs = 'outputs' in progress && progress.outputs !== undefined ? progress.outputs : {};
  const { id, fqdn, kubernetesVersion, nodeResourceGroup, oidcIssuer, principalId, clientId, repositoryPublicKey } =
    outputs;
  const ready = progress.state === 'ready' ? progress : undefined;
  const learned = defined({
    // Other things have ids, too; that of the cluster comes with its address.
    id: fqdn === undefined ? undefined : id,
    uid: ready?.uid,
    fqdn,
    kubernetesVersion,
    nodeResourceGroup,
    oidcIssuer,
    identityPrincipalID: principalId,
    identityClientID: clientId,
    kubeconfigSecret: ready?.kubeconfigSecret,
    deployKey: repositoryPublicKey,
    registeredAs: ready?.registeredAs,
  });
  return Object.keys(learned).length === 0 ? undefined : { ...read.status?.cluster, ...learned };
}

function finished(
  services: ClusterRequestServices,
  { ref, current, record }: StageContext,
  ending: 'ready' | Fault,
  elapsed: number,
  request: StoredRequest,
): void {
  const { stage } = current;
  const outcome = ending === 'ready' ? 'succeeded' : 'failed';
  services.metrics.clusterStageDuration.observe({ stage, outcome }, elapsed / 1000);
  for (const { kind } of current.cluster === 'management' && ending === 'ready' ? current.manifests : []) {
    services.metrics.asoReconcileDuration.observe({ kind }, elapsed / 1000);
  }
  const log = logFor(services, ref);
  const seconds = Math.round(elapsed / 100) / 10;
  if (ending !== 'ready') {
    services.metrics.clusterStageFailures.inc({ stage, kind: ending.kind });
    log.write('cluster-request.stage.failed', { stage, reason: ending.code, problem: ending.message, seconds });
    return;
  }
  log.write('cluster-request.stage.ready', { stage, seconds });
  if (stage !== 'ManagedCluster' || request.status?.clusterReadyAt !== undefined) return;
  const since = Date.parse(request.metadata.creationTimestamp);
  if (!Number.isNaN(since)) {
    const { nodes } = record.resolved;
    services.metrics.clusterProvisioningTime.observe({ nodes }, (services.clock.now() - since) / 1000);
  }
}

/** Counts what the operator reports, as its own metrics do not. */
const observer =
  (services: ClusterRequestServices, { name }: RequestPlace) =>
  ({ kind }: { kind: string }, progress: Progress): void => {
    const fault = progressFault(progress);
    if (fault !== undefined) services.metrics.asoReconcileErrors.inc({ cluster: name, kind, error: fault.kind });
  };

/** What an earlier attempt has left as failed is tried once more in this one: the reason may have gone, and nothing else asks again. */
async function triedAgain(
  services: ClusterRequestServices,
  place: RequestPlace,
  { ref, record, current }: StageContext,
  progress: Progress,
  signal: AbortSignal,
): Promise<Progress> {
  if (progress.state !== 'failed' || record.attempt === 1 || current.cluster === 'new') return progress;
  if (place.driver.wake === undefined) return progress;
  const key = `cluster-request-again/${ref.cluster}/${ref.uid}/${current.stage}/${record.attempt}`;
  const turn = await services.state.put(key, services.clock.now(), { ifVersion: null, ttlSeconds: againSeconds });
  if (turn === undefined) return progress;
  for (const manifest of current.manifests) await place.driver.wake(manifest, signal);
  const { fault, outputs } = progress;
  return { state: 'pending', waitingFor: 'Azure to try again', fault: { ...fault, final: false }, outputs };
}

async function wakeSometimes(
  services: ClusterRequestServices,
  place: RequestPlace,
  { ref, current, record }: StageContext,
  request: StoredRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const fault = progressFault(progress);
  if (
    fault === undefined ||
    fault.code === 'ClusterUnreachable' ||
    fault.code === pausedReason ||
    current.cluster === 'new'
  )
    return;
  if (place.driver.wake === undefined) return;
  // Somebody who asks for another try gets one at once, and each time that they ask.
  const asked = request.metadata.annotations?.[requestAnnotations.retry] ?? '';
  const turnOf = asked === (record.retrySeen ?? '') ? '' : `/${fingerprint(asked)}`;
  const key = `cluster-request-wake/${ref.cluster}/${ref.uid}/${current.stage}${turnOf}`;
  // Whoever writes it wakes; a failure of it is the next round's.
  const turn = await services.state.put(key, services.clock.now(), { ifVersion: null, ttlSeconds: wakeSeconds });
  if (turn === undefined) return;
  for (const manifest of current.manifests) await place.driver.wake(manifest, signal);
}
