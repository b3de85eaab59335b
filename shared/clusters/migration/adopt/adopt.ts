/**
 * A cluster changes hands. Both ends must never act at once, so the request is set aside (`carried-out-by: kro`) until the instance is gone
 * and its objects are the request's. Every step finds out for itself whether it was done, so after a crash the command is run again.
 */
import { failed, ok, type Result } from '../../../base/result.ts';
import { asoKinds } from '../../manifests/api-versions.ts';
import type { PlannedStage } from '../../manifests/manifest.ts';
import { isAsoKind } from '../../manifests/resources.ts';
import { planRequest } from '../../plan/plan.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../../request/kind.ts';
import { requestAnnotations } from '../../request/marks.ts';
import type { ClusterRequest } from '../../request/request.ts';
import type { Resolved } from '../../resolved/resolve.ts';
import { type RequestRecord, recordAnnotation } from '../../steps/record.ts';
import type { RequestName, StoredRequest } from '../../store/contract.ts';
import { type Assessment, assess, blockers } from '../assess.ts';
import type { Child, Instance } from '../kro/read.ts';
import { type MigrationParts, migrationFailure, today } from '../parts.ts';
import { describeInstance, keepRecord, type MigrationRecord, recordOf } from '../record.ts';
import { handOver } from './instance.ts';
import { type Proof, prove, take } from './take.ts';

export interface Adopted {
  record: MigrationRecord;
  proofs: readonly Proof[];
}

export const byKro = 'kro';
export const direct = 'direct';

/** @param wanted The instance, or the record of one that has begun to change hands. */
export async function adopt(
  parts: MigrationParts,
  wanted: { instance: Instance } | { record: MigrationRecord },
  options: { acceptChanges: boolean },
  signal: AbortSignal,
): Promise<Result<Adopted>> {
  const begun = 'record' in wanted ? ok(wanted.record) : await begin(parts, wanted.instance, options, signal);
  if (!begun.ok) return begun;
  const record = begun.value;
  const what = describeInstance(record);
  const request = await requestOf(parts, record, signal);
  if (!request.ok) return request;
  const given = await handOver(parts, record, signal);
  if (!given.ok) return given;
  const planned = await plannedFor(parts, request.value, signal);
  if (!planned.ok) return planned;
  const manifests = planned.value.stages.flatMap((one) => (one.cluster === 'management' ? one.manifests : []));
  const taken = await take(parts, record, manifests, signal);
  if (!taken.ok) return taken;
  parts.say('taken', what);
  const proofs = await prove(parts, record, signal);
  if (!proofs.ok) return proofs;
  parts.say('proved', what);
  // What exists has been accepted, so the host begins where a request is that it has carried out itself.
  const accepted = recordAnnotation(hostRecord(parts, request.value, planned.value));
  const handed = await carryOutBy(parts, record.request, direct, signal, accepted);
  if (!handed.ok) return handed;
  parts.say('handed-over', what);
  return ok({ record, proofs: proofs.value });
}

/** The request, set aside, and then the record; from there on the record leads. */
async function begin(
  parts: MigrationParts,
  instance: Instance,
  options: { acceptChanges: boolean },
  signal: AbortSignal,
): Promise<Result<MigrationRecord>> {
  const assessed = await assess(parts, instance, options, signal);
  if (!assessed.ok) return assessed;
  const { request, children } = assessed.value;
  if (request === undefined || blockers(assessed.value).length > 0) return refused(assessed.value);
  const made = await ensureRequest(parts, request, signal);
  if (!made.ok) return made;
  const { metadata, spec } = request;
  const name = { namespace: metadata.namespace, name: metadata.name };
  const isDescribed = ({ object, resource }: Child): boolean =>
    assessed.value.manifests.some(
      (one) =>
        one.kind === resource.kind &&
        one.metadata.name === object.metadata.name &&
        one.metadata.namespace === object.metadata.namespace,
    );
  const kept = await keepRecord(parts.api, recordOf(instance, children, name, spec, isDescribed), signal);
  if (kept.ok) parts.say('recorded', describeInstance(kept.value));
  return kept;
}

function refused(assessment: Assessment): Result<never> {
  const [first] = blockers(assessment);
  const message = blockers(assessment)
    .map(({ field, cause, fix }) => `${field}: ${cause}; ${fix}`)
    .join('. ');
  const code = first?.code ?? 'MigrationNotEquivalent';
  const problems = blockers(assessment).map(({ field, cause, fix }) => ({ path: field, message: `${cause}; ${fix}` }));
  return failed('invalid', message, { code, reason: code, problems });
}

/** Guarded, so that nothing of Azure is deleted with it until the migration is committed, and set aside for KRO. */
export async function ensureRequest(
  { store }: Pick<MigrationParts, 'store'>,
  { metadata, spec }: ClusterRequest,
  signal: AbortSignal,
): Promise<Result<StoredRequest>> {
  const name = { namespace: metadata.namespace, name: metadata.name };
  const annotations = { [requestAnnotations.carriedOutBy]: byKro };
  const made = await store.create(
    { ...name, spec: JSON.parse(JSON.stringify({ ...spec, deleteGuard: true })), annotations },
    signal,
  );
  if (made.ok || made.error.kind !== 'conflict') return made;
  const there = await store.get(name, signal);
  if (!there.ok) return there;
  if (there.value.metadata.annotations?.[requestAnnotations.carriedOutBy] === byKro) {
    return setSpec({ store }, there.value, { ...spec, deleteGuard: true }, signal);
  }
  const fix = 'rename that request, or delete it';
  return migrationFailure(
    'KroNamesDiffer',
    `there is a ClusterRequest ${name.namespace}/${name.name} that is not set aside for KRO; ${fix}`,
  );
}

export async function setSpec(
  { store }: Pick<MigrationParts, 'store'>,
  stored: StoredRequest,
  spec: ClusterRequest['spec'],
  signal: AbortSignal,
): Promise<Result<StoredRequest>> {
  if (JSON.stringify(stored.spec) === JSON.stringify(spec)) return ok(stored);
  const { uid, resourceVersion, namespace, name } = stored.metadata;
  return store.replaceSpec({ namespace, name }, JSON.parse(JSON.stringify(spec)), { uid, resourceVersion }, signal);
}

export async function requestOf(
  { store }: Pick<MigrationParts, 'store'>,
  { request }: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<StoredRequest>> {
  const found = await store.get(request, signal);
  if (found.ok || found.error.kind !== 'not-found') return found;
  return migrationFailure('MigrationStuck', `ClusterRequest ${request.namespace}/${request.name} is gone`);
}

interface Planned {
  resolved: Resolved;
  stages: readonly PlannedStage[];
}

/** As the host would write it now. */
async function plannedFor(
  parts: MigrationParts,
  { metadata, spec }: StoredRequest,
  signal: AbortSignal,
): Promise<Result<Planned>> {
  const served = await parts.driver.served(signal);
  if (!served.ok) return served;
  const { types, deployment } = parts;
  const { name, namespace, uid } = metadata;
  const { kind } = clusterRequestKind;
  const object = { apiVersion: clusterRequestApiVersion, kind, metadata: { name, namespace, uid }, spec };
  const plan = planRequest(object, { types, today: today(parts), deployment, served: served.value });
  if (plan.resolved !== undefined) return ok({ resolved: plan.resolved, stages: plan.stages });
  const [first] = plan.findings;
  return failed('invalid', `the request is no longer valid: ${first?.field ?? ''} ${first?.cause ?? ''}`, {
    code: first?.code ?? 'ClusterRequestInvalid',
  });
}

function hostRecord(
  { deployment }: MigrationParts,
  { metadata: { uid, generation = 1 }, spec }: StoredRequest,
  { resolved, stages }: Planned,
): RequestRecord {
  const manifests = stages.flatMap((one) => one.manifests);
  const versions = manifests.flatMap(({ kind, apiVersion }) =>
    isAsoKind(kind) ? [[kind, apiVersion.slice(asoKinds[kind].group.length + 1)] as const] : [],
  );
  return {
    uid,
    deployment,
    attempt: 1,
    generation,
    spec,
    resolved,
    versions: Object.fromEntries(versions),
    begun: stages.map(({ stage }) => stage),
    failures: 0,
    poolsExist: false,
  };
}

const conflicts = 20;

export async function carryOutBy(
  { store, wait }: Pick<MigrationParts, 'store' | 'wait'>,
  name: RequestName,
  by: string,
  signal: AbortSignal,
  more: Record<string, string> = {},
): Promise<Result<StoredRequest>> {
  for (let time = 0; time < conflicts; time++) {
    const read = await store.get(name, signal);
    if (!read.ok) return read;
    const { uid, resourceVersion, annotations } = read.value.metadata;
    if (annotations?.[requestAnnotations.carriedOutBy] === by) return read;
    const change = { annotations: { ...more, [requestAnnotations.carriedOutBy]: by } };
    const written = await store.patchMetadata(name, change, { uid, resourceVersion }, signal);
    if (written.ok || written.error.kind !== 'conflict') return written;
    await wait(100, signal);
  }
  return failed('conflict', `ClusterRequest ${name.namespace}/${name.name} changes too often`);
}
