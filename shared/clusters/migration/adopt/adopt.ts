/**
 * A cluster changes hands. Both ends must never act at once, so the request is set aside (`carried-out-by: kro`) until the instance is gone
 * and its objects are the request's. Every step finds out for itself whether it was done, so after a crash the command is run again.
 */
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { planRequest } from '../../plan/plan.ts';
import { requestAnnotations } from '../../request/marks.ts';
import type { ClusterRequest } from '../../request/request.ts';
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
  const manifests = await manifestsOf(parts, request.value, signal);
  if (!manifests.ok) return manifests;
  const taken = await take(parts, record, manifests.value, signal);
  if (!taken.ok) return taken;
  parts.say('taken', what);
  const proofs = await prove(parts, record, signal);
  if (!proofs.ok) return proofs;
  parts.say('proved', what);
  const handed = await carryOutBy(parts, record.request, direct, signal);
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

/** As the host would write them now. */
export async function manifestsOf(
  parts: MigrationParts,
  { metadata, spec }: StoredRequest,
  signal: AbortSignal,
): Promise<Result<Manifest[]>> {
  const served = await parts.driver.served(signal);
  if (!served.ok) return served;
  const { types, deployment } = parts;
  const { name, namespace, uid } = metadata;
  const object = {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'ClusterRequest',
    metadata: { name, namespace, uid },
    spec,
  };
  const plan = planRequest(object, { types, today: today(parts), deployment, served: served.value });
  if (!plan.valid) {
    const [first] = plan.findings;
    return failed('invalid', `the request is no longer valid: ${first?.field ?? ''} ${first?.cause ?? ''}`, {
      code: first?.code ?? 'ClusterRequestInvalid',
    });
  }
  return ok(plan.stages.flatMap(({ cluster, manifests }) => (cluster === 'management' ? manifests : [])));
}

const conflicts = 20;

export async function carryOutBy(
  { store, wait }: Pick<MigrationParts, 'store' | 'wait'>,
  name: RequestName,
  by: string,
  signal: AbortSignal,
): Promise<Result<StoredRequest>> {
  for (let time = 0; time < conflicts; time++) {
    const read = await store.get(name, signal);
    if (!read.ok) return read;
    const { uid, resourceVersion, annotations } = read.value.metadata;
    if (annotations?.[requestAnnotations.carriedOutBy] === by) return read;
    const change = { annotations: { [requestAnnotations.carriedOutBy]: by } };
    const written = await store.patchMetadata(name, change, { uid, resourceVersion }, signal);
    if (written.ok || written.error.kind !== 'conflict') return written;
    await wait(100, signal);
  }
  return failed('conflict', `ClusterRequest ${name.namespace}/${name.name} changes too often`);
}
