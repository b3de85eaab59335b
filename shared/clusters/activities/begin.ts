/**
 * beginRequest: judges a request, and records what is about to be begun for it before anything is. It may run any number of times for the
 * same generation; each time the work begins anew from what is there.
 */
import { doubled } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { parseDuration } from '../../base/durations.ts';
import { cutText } from '../../base/text.ts';
import { findCondition, toWireTime } from '../../kube/conditions.ts';
import {
  cancelled,
  carriedOutElsewhere,
  dryRun,
  pausedReason,
  requestAnnotations,
  requestConditions,
  requestFinalizer,
} from '../request/marks.ts';
import type { StageStatus } from '../request/status.ts';
import { type Finding, isError } from '../rules/finding.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import type { BeginResult } from '../steps/answers.ts';
import { type Judged, judge, manifestsOf } from '../steps/judge.ts';
import { droppedBetween } from '../steps/own-things.ts';
import { isCancelled, isCarriedOutElsewhere, isDeleting, wantedWorkflow } from '../steps/phase.ts';
import { againAfter, findPlace, isAgain, logFor } from '../steps/place.ts';
import { type RequestRecord, recordAnnotation, recordOf } from '../steps/record.ts';
import { changeRequest, readRequest } from '../steps/request-access.ts';
import { pendingStages, statusChange, withConditions } from '../steps/status.ts';
import type { StoredRequest } from '../store/contract.ts';

interface Input {
  ref: RequestRef;
}
interface Context {
  signal: AbortSignal;
}

const longestRetrySeconds = 3600;
const shownFindings = 5;

export const beginRequest =
  (services: ClusterRequestServices) =>
  async ({ ref }: Input, { signal }: Context): Promise<BeginResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    const read = await readRequest(place, ref, signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found === 'gone') return { do: 'end', why: 'the request is gone' };
    const { request } = read;
    if (isDeleting(request)) return { do: 'end', why: 'the request is being deleted' };
    const aside = setAside(request);
    if (aside !== undefined) return await settle(services, place, ref, request, aside, signal);
    if (wantedWorkflow(request, services.clock.now()) === undefined) return { do: 'end', why: 'nothing is to be done' };

    const why = await place.paused?.();
    if (why !== undefined && request.spec.dryRun !== true) {
      const said = await sayPaused(services, place, ref, request, why, signal);
      return said ?? { do: 'again', seconds: pausedSeconds, why };
    }
    const record = recordOf(request);
    const judged = await judge(services, place, request, record, signal);
    if (!judged.ok) return againAfter(judged.error, 5);
    if (judged.value.refusedBy !== undefined) return await refuse(services, place, ref, request, judged.value, signal);
    if (request.spec.dryRun === true) {
      return await planOnly(services, place, ref, request, judged.value, signal);
    }
    return await start(services, place, ref, request, record, judged.value, signal);
  };

/** How often a paused request looks whether the pause is over. */
const pausedSeconds = 15;

/** Undefined: it is said, or was said already. */
async function sayPaused(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  message: string,
  signal: AbortSignal,
): Promise<BeginResult | undefined> {
  const change = { type: requestConditions.ready, status: 'False' as const, reason: pausedReason, message };
  const written = await changeRequest(
    place,
    ref,
    (read) => {
      const conditions = withConditions(read, [change], services.clock.now());
      return conditions && { status: { conditions } };
    },
    signal,
    request,
  );
  return written.ok ? undefined : againAfter(written.failure);
}

/** Nothing is begun: why, in a word and in a sentence. */
interface Settled {
  reason: string;
  message: string;
  findings?: readonly Finding[];
  refusedBy?: Judged['refusedBy'];
  retryAt?: string | null;
  plan?: NonNullable<StoredRequest['status']>['plan'];
  failed?: boolean;
}

function setAside(request: StoredRequest): Settled | undefined {
  if (isCarriedOutElsewhere(request)) {
    const by = request.metadata.annotations?.[requestAnnotations.carriedOutBy] ?? '';
    return {
      reason: carriedOutElsewhere,
      message: `The annotation ${requestAnnotations.carriedOutBy} says that ${by} carries this request out.`,
    };
  }
  if (!isCancelled(request)) return undefined;
  const message = `The annotation ${requestAnnotations.cancel} stops this request. What was made stays until the request is deleted.`;
  return { reason: cancelled, message };
}

function refuse(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  judged: Judged,
  signal: AbortSignal,
): Promise<BeginResult> {
  const { findings, refusedBy } = judged;
  const errors = findings.filter(isError);
  const message = errors.slice(0, shownFindings).map(findingText).join(' ');
  // What is not the request's own fault may be mended without a change of it.
  const failures = (recordOf(request)?.failures ?? 0) + 1;
  const pause = doubled(failures, place.settings.retrySeconds, longestRetrySeconds);
  const retryAt = refusedBy === 'rules' ? null : toWireTime(services.clock.now() + pause * 1000);
  const reason = errors[0]?.code ?? 'ClusterRequestInvalid';
  return settle(services, place, ref, request, { reason, message, findings, refusedBy, retryAt, failed: true }, signal);
}

const findingText = ({ field, cause, fix }: Finding): string => `${field}: ${cause}; ${fix}.`;

function planOnly(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  { findings, stages }: Judged,
  signal: AbortSignal,
): Promise<BeginResult> {
  const plan = stages.map(({ stage, manifests }) => ({
    stage,
    objects: manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
  }));
  const message = 'This is a dry run: the request was checked and planned, and nothing is created or changed.';
  return settle(services, place, ref, request, { reason: dryRun, message, findings, plan }, signal);
}

async function settle(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  { reason, message, findings, refusedBy, retryAt = null, plan, failed }: Settled,
  signal: AbortSignal,
): Promise<BeginResult> {
  const { generation } = request.metadata;
  const written = await changeRequest(
    place,
    ref,
    (now) => {
      if (now.metadata.generation !== generation || isDeleting(now)) return undefined;
      const conditions = withConditions(
        now,
        [
          ...(findings === undefined ? [] : judgedConditions(refusedBy, reason, message)),
          { type: requestConditions.ready, status: 'False', reason, message },
        ],
        services.clock.now(),
      );
      const warnings = warningsIn(findings);
      const status = statusChange(now, {
        observedGeneration: generation,
        retryAt,
        ...defined({ conditions, plan, warnings }),
      });
      return status && { status };
    },
    signal,
    request,
  );
  if (!written.ok) return againAfter(written.failure);
  logFor(services, ref).write('cluster-request.settled', { reason, problem: message });
  return { do: 'end', why: reason, ...defined({ failed }) };
}

function judgedConditions(refusedBy: Judged['refusedBy'], reason: string, message: string) {
  const { validated, preflighted } = requestConditions;
  if (refusedBy === 'preflight') {
    return [
      { type: validated, status: 'True' as const },
      { type: preflighted, status: 'False' as const, reason, message },
    ];
  }
  if (refusedBy !== undefined) return [{ type: validated, status: 'False' as const, reason, message }];
  return [
    { type: validated, status: 'True' as const },
    { type: preflighted, status: 'True' as const },
  ];
}

const warningsIn = (findings: readonly Finding[] | undefined): string[] | undefined =>
  findings?.filter((one) => !isError(one)).map(findingText);

async function start(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  before: RequestRecord | undefined,
  { resolved, stages, versions, findings, changes }: Judged,
  signal: AbortSignal,
): Promise<BeginResult> {
  if (resolved === undefined) return { do: 'end', why: 'nothing is to be done' };
  const { generation = 0, uid } = request.metadata;
  const now = services.clock.now();
  const failed = request.status?.retryAt !== undefined;
  const retrySeen = request.metadata.annotations?.[requestAnnotations.retry];
  const record: RequestRecord = {
    uid,
    deployment: services.deployment,
    attempt: Math.max(before?.attempt ?? 0, request.status?.attempt ?? 0) + 1,
    generation,
    spec: request.spec,
    resolved,
    versions: { ...before?.versions, ...versions },
    dropped: dropped(services, request, before, stages),
    begun: [...new Set([...(before?.begun ?? []), ...stages.map(({ stage }) => stage)])],
    failures: failed ? (before?.failures ?? 0) + 1 : 0,
    poolsExist:
      (poolsExist(request) || before?.poolsExist === true) && !changes.some((change) => change.class === 'new-nodes'),
    ...defined({
      retrySeen,
      seed: before?.seed,
      tagged: place.api === undefined ? true : undefined,
      since: before?.since ?? (place.api === undefined ? request.metadata.creationTimestamp : undefined),
    }),
  };
  // Conditional on the version that was judged: whoever changed it meanwhile is judged first.
  const follows = { uid, resourceVersion: request.metadata.resourceVersion };
  const finalizers = [...new Set([...(request.metadata.finalizers ?? []), requestFinalizer])];
  const recorded = await place.store.patchMetadata(
    ref,
    { annotations: recordAnnotation(record), finalizers },
    follows,
    signal,
  );
  // To send the same again would not make it fit.
  if (!recorded.ok && recorded.error.kind === 'invalid') {
    const refused: Judged = { refusedBy: 'rules', findings: [tooLarge(recorded.error.message)], ...nothing };
    return await refuse(services, place, ref, request, refused, signal);
  }
  if (!recorded.ok) return againAfter(recorded.error, 0.5);

  const first = stages[0];
  const updating = before !== undefined && request.status?.readyAt !== undefined;
  const written = await changeRequest(
    place,
    ref,
    (read) => {
      if (recordOf(read)?.attempt !== record.attempt) return undefined;
      const { ready, validated, preflighted } = requestConditions;
      const conditions = withConditions(
        read,
        [
          { type: validated, status: 'True' },
          { type: preflighted, status: 'True' },
          {
            type: ready,
            status: 'False',
            reason: updating ? 'Updating' : 'Provisioning',
            message: 'The request is being carried out.',
          },
        ],
        now,
      );
      const expiresAt = expiry(read);
      return {
        status: defined({
          observedGeneration: generation,
          attempt: record.attempt,
          startedAt: updating ? undefined : (read.status?.startedAt ?? toWireTime(now)),
          stage: first?.stage,
          stages: pendingStages(stages) as StageStatus[],
          expiresAt,
          warnings: warningsIn(findings),
          retryAt: null,
          plan: null,
          conditions,
        }),
      };
    },
    signal,
    recorded.value,
  );
  if (!written.ok) return againAfter(written.failure);
  logFor(services, ref).write('cluster-request.begun', { attempt: record.attempt, stages: stages.length });
  return {
    do: 'go',
    attempt: record.attempt,
    stages: stages.map(({ stage, deadlineSeconds }) => ({ stage, deadlineSeconds })),
  };
}

/** What the last attempt had not come to remove, and what this one no longer asks for. */
function dropped(
  services: ClusterRequestServices,
  request: StoredRequest,
  before: RequestRecord | undefined,
  stages: Judged['stages'],
): string[] {
  if (before === undefined) return [];
  const ended = findCondition(request.status?.conditions, requestConditions.ready)?.status === 'True';
  return droppedBetween(manifestsOf(services, before), stages, ended ? [] : (before.dropped ?? []));
}

const nothing = { changes: [], stages: [], versions: {} };

const tooLarge = (why: string): Finding => ({
  severity: 'error',
  field: 'spec',
  code: 'ClusterRequestTooLarge',
  cause: `the record of the request cannot be kept: ${cutText(why, 300)}`,
  fix: 'make the request smaller',
});

export const poolsExist = ({ status }: StoredRequest): boolean =>
  status?.stages?.some(({ name, state }) => name === 'AgentPools' && state === 'Succeeded') === true;

/** From when it was asked for: a slow creation does not lengthen a life. */
export function expiry(request: StoredRequest): string | null {
  const { metadata, spec } = request;
  const lifetime = spec.lifetime === undefined ? undefined : parseDuration(spec.lifetime);
  const from = Date.parse(recordOf(request)?.since ?? metadata.creationTimestamp);
  return lifetime?.ok && !Number.isNaN(from) ? toWireTime(from + lifetime.milliseconds) : null;
}
