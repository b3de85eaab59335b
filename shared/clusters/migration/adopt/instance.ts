/** The instance: suspended, watched until KRO stands still, and let go in a way that KRO does not notice. */
import { ok, type Result } from '../../../base/result.ts';
import type { AnyObject } from '../kro/graph.ts';
import { kroFinalizer, kroReconcile, suspended } from '../kro/marks.ts';
import { readObject } from '../kro/read.ts';
import { isSuspended } from '../kro/state.ts';
import { type MigrationParts, migrationFailure, waitUntil } from '../parts.ts';
import { describeInstance, type MigrationRecord } from '../record.ts';
import { cutOwners, disarm, isAllDisarmed, readChild } from './children.ts';

/** Nothing of KRO's hand changes for so long: it has noticed. */
const quietMs = 4000;
const settleForMs = 120_000;
const lookEveryMs = 2000;
/** KRO puts its finalizer back at each of its rounds, and it has a round for each write that it sees. */
const letGoForMs = 60_000;
const letGoEveryMs = 200;

/** Undefined: it is gone, or another one has its name. */
export async function readInstance(
  { api }: Pick<MigrationParts, 'api'>,
  { instances, instance }: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<{ object: AnyObject; isTheOne: boolean } | undefined>> {
  const found = await readObject(api, instances, instance, signal);
  if (!found.ok) return found;
  const object = found.value;
  return ok(object && { object, isTheOne: object.metadata.uid === instance.uid });
}

const refOf = ({ instance: { name, namespace } }: MigrationRecord) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

export async function suspend(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  const read = await theOne(parts, record, signal);
  if (!read.ok) return read;
  if (isSuspended(read.value)) return ok(undefined);
  const { uid } = record.instance;
  const patch = { metadata: { uid, annotations: { [kroReconcile]: suspended } } };
  const written = await parts.api.mergePatch(record.instances, refOf(record), patch, {}, signal);
  return written.ok ? ok(undefined) : written;
}

async function theOne(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<AnyObject>> {
  const read = await readInstance(parts, record, signal);
  if (!read.ok) return read;
  const what = describeInstance(record);
  if (read.value === undefined) return migrationFailure('MigrationStuck', `${what} is gone`);
  if (!read.value.isTheOne) return migrationFailure('MigrationStuck', `${what} was made anew by somebody`);
  const { object } = read.value;
  if (object.metadata.deletionTimestamp !== undefined) {
    return migrationFailure('MigrationStuck', `${what} is being deleted, and KRO deletes what it has made`);
  }
  return ok(object);
}

/** What KRO writes: the fields that it applies, and the metadata of the instance. */
async function handOfKro(parts: MigrationParts, record: MigrationRecord, signal: AbortSignal): Promise<Result<string>> {
  const seen: string[] = [];
  const instance = await theOne(parts, record, signal);
  if (!instance.ok) return instance;
  seen.push(instance.value.metadata.resourceVersion);
  for (const child of record.children) {
    const read = await readChild(parts, child, signal);
    if (!read.ok) return read;
    const { generation = 0, labels, annotations, ownerReferences } = read.value.metadata;
    seen.push(JSON.stringify([generation, labels, annotations, ownerReferences]));
  }
  return ok(seen.join('\n'));
}

export async function settle(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  let before: string | undefined;
  let since = parts.clock.monotonic();
  const times = { everyMs: lookEveryMs, forMs: settleForMs };
  const look = async (): Promise<Result<true | undefined>> => {
    const seen = await handOfKro(parts, record, signal);
    if (!seen.ok) return seen;
    if (seen.value !== before) {
      before = seen.value;
      since = parts.clock.monotonic();
    }
    return ok(parts.clock.monotonic() - since >= quietMs ? true : undefined);
  };
  const settled = await waitUntil(parts, times, look, signal);
  if (!settled.ok) return settled;
  if (settled.value === true) return ok(undefined);
  return migrationFailure('MigrationStuck', `${describeInstance(record)} is suspended, and its objects still change`);
}

/**
 * Without its finalizer the instance is gone the moment it is deleted, and KRO has nothing to clean up. If KRO put the finalizer back in
 * between, the version is another one, and the delete is refused.
 */
export async function letGo(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  const look = async (): Promise<Result<true | undefined>> => {
    const read = await readInstance(parts, record, signal);
    if (!read.ok) return read;
    if (read.value === undefined) return ok(true);
    const found = await theOne(parts, record, signal);
    if (!found.ok) return found;
    const { finalizers = [] } = found.value.metadata;
    const others = finalizers.filter((one) => one !== kroFinalizer);
    if (others.length > 0) {
      return migrationFailure(
        'KroForeignFinalizer',
        `${describeInstance(record)} has the finalizer ${others.join(', ')}`,
      );
    }
    if (!isSuspended(found.value)) {
      const suspendedAgain = await suspend(parts, record, signal);
      return suspendedAgain.ok ? ok(undefined) : suspendedAgain;
    }
    // Were the instance to end in another way after all, nothing of Azure would end with it.
    const safe = await isAllDisarmed(parts, record.children, signal);
    if (!safe.ok) return safe;
    const { uid, resourceVersion } = found.value.metadata;
    const patch = { metadata: { uid, resourceVersion, finalizers: [] } };
    const stripped = await parts.api.mergePatch<AnyObject>(record.instances, refOf(record), patch, {}, signal);
    if (!stripped.ok) return isPassing(stripped.error.kind) ? ok(undefined) : stripped;
    const preconditions = { uid, resourceVersion: stripped.value.metadata.resourceVersion };
    const deleted = await parts.api.delete(record.instances, refOf(record), preconditions, signal);
    if (deleted.ok) return ok(undefined);
    return isPassing(deleted.error.kind) ? ok(undefined) : deleted;
  };
  const gone = await waitUntil(parts, { everyMs: letGoEveryMs, forMs: letGoForMs }, look, signal);
  if (!gone.ok) return gone;
  if (gone.value === true) return ok(undefined);
  const what = describeInstance(record);
  const cure = 'scale KRO to zero, run the command again, and scale it up';
  return migrationFailure(
    'MigrationStuck',
    `KRO puts its finalizer back on ${what} faster than it can be deleted: ${cure}`,
  );
}

const isPassing = (kind: string): boolean => kind === 'conflict' || kind === 'not-found';

/** In the order in which nothing can be lost; each part may have been done before. */
export async function handOver(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  const what = describeInstance(record);
  const steps = [
    ['disarmed', disarm],
    ['suspended', suspend],
    ['settled', settle],
    // KRO's last round before it was suspended may have written over it.
    ['disarmed', disarm],
    ['owners-cut', cutOwners],
    ['let-go', letGo],
  ] as const;
  const there = await readInstance(parts, record, signal);
  if (!there.ok) return there;
  if (there.value === undefined) return ok(undefined);
  if (!there.value.isTheOne) return migrationFailure('MigrationStuck', `${what} was made anew by somebody`);
  for (const [name, step] of steps) {
    const done = await step(parts, record, signal);
    if (!done.ok) return done;
    parts.say(name, what);
  }
  return ok(undefined);
}
