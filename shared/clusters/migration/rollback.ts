/**
 * The way back, until the migration is committed: the request is set aside, its marks go, and the instance is made again from the record.
 * KRO then takes its objects back by their names. Nothing of it reaches Azure but what KRO applies. Every step may have been done before.
 */

import { fingerprint } from '../../base/fingerprint.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { findCondition } from '../../kube/conditions.ts';
import type { JsonPatchOperation } from '../../kube/contract.ts';
import { reconcilePolicy } from '../drivers/aso/condition.ts';
import { requestConditions } from '../request/marks.ts';
import { labelNames } from '../resolved/tags.ts';
import { byKro, carryOutBy } from './adopt/adopt.ts';
import { annotate, changeChild, disarm, pointer } from './adopt/children.ts';
import { readInstance } from './adopt/instance.ts';
import type { AnyObject } from './kro/graph.ts';
import { kroLabels, kroReconcile, suspended } from './kro/marks.ts';
import { readObject } from './kro/read.ts';
import { isSuspended, stateOf } from './kro/state.ts';
import { type MigrationParts, migrationFailure, waitUntil } from './parts.ts';
import { describeInstance, forgetRecord, type MigrationRecord, type RecordedChild } from './record.ts';

const hostForMs = 20_000;
const kroForMs = 10 * 60_000;
const lookEveryMs = 1000;
/** As the host names itself, and what it notes on objects. */
const ownManager = 'poolwright';
const ownAnnotations = ['poolwright.dev/manifest-hash', 'poolwright.dev/managed'];

export async function rollback(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<MigrationRecord>> {
  const what = describeInstance(record);
  const steps = [
    ['stopped', stop],
    ['disarmed', disarmPresent],
    ['released', release],
    ['recreated', recreate],
    ['given-back', giveBack],
  ] as const;
  for (const [name, step] of steps) {
    const done = await step(parts, record, signal);
    if (!done.ok) return done;
    parts.say(name, what);
  }
  const forgotten = await forgetRecord(parts.api, record, signal);
  return forgotten.ok ? ok(record) : forgotten;
}

/** A host that works on the request says when it has stopped; where none runs, none can. */
async function stop(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<void>> {
  const aside = await carryOutBy(parts, record.request, byKro, signal);
  if (!aside.ok) return aside.error.kind === 'not-found' ? ok(undefined) : aside;
  const { status } = aside.value;
  // No host has ever looked at it.
  if (status === undefined) return ok(undefined);
  const look = async (): Promise<Result<true | undefined>> => {
    const read = await parts.store.get(record.request, signal);
    if (!read.ok) return read;
    const ready = findCondition(read.value.status?.conditions, requestConditions.ready);
    return ok(ready?.reason === 'CarriedOutElsewhere' ? true : undefined);
  };
  const stopped = await waitUntil(parts, { everyMs: lookEveryMs, forMs: hostForMs }, look, signal);
  return stopped.ok ? ok(undefined) : stopped;
}

/** Those that are still the same. A user may have deleted the instance, and KRO the objects with it: KRO makes them again. */
async function present(
  { api }: MigrationParts,
  { children }: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<RecordedChild[]>> {
  const there: RecordedChild[] = [];
  for (const child of children) {
    const read = await readObject(api, child.resource, child, signal);
    if (!read.ok) return read;
    const { uid, deletionTimestamp } = read.value?.metadata ?? {};
    if (uid === child.uid && deletionTimestamp === undefined) there.push(child);
  }
  return ok(there);
}

async function disarmPresent(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  const children = await present(parts, record, signal);
  return children.ok ? disarm(parts, { ...record, children: children.value }, signal) : children;
}

async function release(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<void>> {
  const children = await present(parts, record, signal);
  if (!children.ok) return children;
  for (const child of children.value) {
    const written = await changeChild(parts, child, (object) => unmark(object, child), signal);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

function unmark(object: AnyObject, { spec }: RecordedChild): JsonPatchOperation[] {
  const { labels = {}, managedFields = [] } = object.metadata;
  const operations: JsonPatchOperation[] = [];
  for (const key of [labelNames.uid, labelNames.request]) {
    if (labels[key] !== undefined) operations.push({ op: 'remove', path: `/metadata/labels/${pointer(key)}` });
  }
  if (labels[labelNames.managedBy] === 'poolwright') {
    operations.push({ op: 'remove', path: `/metadata/labels/${pointer(labelNames.managedBy)}` });
  }
  for (const key of ownAnnotations) operations.push(...annotate(object, key, null));
  if (spec !== null && fingerprint(object.spec) !== fingerprint(spec)) {
    operations.push({ op: 'replace', path: '/spec', value: spec });
  }
  const fields = managedFields.filter(({ manager }) => manager !== ownManager);
  if (fields.length !== managedFields.length && operations.length > 0) {
    const value = (fields.length === 0 ? [{}] : JSON.parse(JSON.stringify(fields))) as Json;
    operations.push({ op: 'replace', path: '/metadata/managedFields', value });
  }
  return operations;
}

/** Suspended at first: KRO sees it, and does nothing until all is as it was. */
async function recreate(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<void>> {
  const look = async (): Promise<Result<'there' | 'none' | undefined>> => {
    const there = await readInstance(parts, record, signal);
    if (!there.ok) return there;
    if (there.value === undefined) return ok('none');
    return ok(there.value.object.metadata.deletionTimestamp === undefined ? 'there' : undefined);
  };
  // A user deleted it: KRO ends that first, and nothing of it reaches Azure.
  const seen = await waitUntil(parts, { everyMs: lookEveryMs, forMs: kroForMs }, look, signal);
  if (!seen.ok) return seen;
  if (seen.value === undefined) {
    return migrationFailure('MigrationStuck', `${describeInstance(record)} is being deleted, and does not go`);
  }
  if (seen.value === 'there') return ok(undefined);
  const { metadata, ...rest } = record.manifest;
  const before = metadata as JsonObject;
  const annotations = { ...(before.annotations as JsonObject | undefined), [kroReconcile]: suspended };
  const made = await parts.api.create(record.instances, { ...rest, metadata: { ...before, annotations } }, signal);
  return made.ok || made.error.kind === 'conflict' ? ok(undefined) : made;
}

async function giveBack(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<void>> {
  const resumed = await resume(parts, record, signal);
  if (!resumed.ok) return resumed;
  const look = async (): Promise<Result<true | undefined>> => isBack(parts, record, signal);
  const back = await waitUntil(parts, { everyMs: lookEveryMs, forMs: kroForMs }, look, signal);
  if (!back.ok) return back;
  if (back.value === undefined) {
    const why = 'KRO has not taken all objects back, or the instance is not ACTIVE: look at its conditions';
    return migrationFailure('MigrationStuck', `${describeInstance(record)}: ${why}`);
  }
  // Only now: while KRO has not taken them back, a delete by anybody must not reach Azure.
  for (const child of record.children) {
    const restored = await restorePolicy(parts, child, signal);
    if (!restored.ok) return restored;
  }
  return ok(undefined);
}

/** As it was before: a person may have suspended it. */
async function resume(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<void>> {
  const there = await readInstance(parts, record, signal);
  if (!there.ok) return there;
  if (there.value === undefined) return migrationFailure('MigrationStuck', `${describeInstance(record)} is gone again`);
  const { object } = there.value;
  const before =
    ((record.manifest.metadata as JsonObject).annotations as JsonObject | undefined)?.[kroReconcile] ?? null;
  if (!isSuspended(object) || before !== null) return ok(undefined);
  const { name, namespace, uid } = object.metadata;
  const patch = { metadata: { uid, annotations: { [kroReconcile]: null } } };
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  const written = await parts.api.mergePatch(record.instances, ref, patch, {}, signal);
  return written.ok ? ok(undefined) : written;
}

async function isBack(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<true | undefined>> {
  const there = await readInstance(parts, record, signal);
  if (!there.ok) return there;
  if (there.value === undefined || isSuspended(there.value.object)) return ok(undefined);
  const { object } = there.value;
  if (stateOf(object) !== 'ACTIVE') return ok(undefined);
  for (const child of record.children) {
    const read = await readObject(parts.api, child.resource, child, signal);
    if (!read.ok) return read;
    if (read.value?.metadata.labels?.[kroLabels.instanceId] !== object.metadata.uid) return ok(undefined);
  }
  return ok(true);
}

async function restorePolicy(
  parts: MigrationParts,
  child: RecordedChild,
  signal: AbortSignal,
): Promise<Result<unknown>> {
  const read = await readObject(parts.api, child.resource, child, signal);
  if (!read.ok || read.value === undefined) return read;
  const now = { ...child, uid: read.value.metadata.uid };
  return changeChild(parts, now, (object) => annotate(object, reconcilePolicy, child.policy), signal);
}
