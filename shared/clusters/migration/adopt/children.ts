/** The objects of an instance while they change hands: each is the one of the record, or nothing is done. */
import { failed, ok, type Result } from '../../../base/result.ts';
import type { JsonPatchOperation } from '../../../kube/contract.ts';
import { reconcilePolicy } from '../../drivers/aso/condition.ts';
import type { AnyObject } from '../kro/graph.ts';
import { isOfOperator } from '../kro/kinds.ts';
import { apiVersionOf } from '../kro/read.ts';
import { isDisarmed } from '../kro/state.ts';
import { type MigrationParts, migrationFailure } from '../parts.ts';
import { describeChild, type MigrationRecord, type RecordedChild } from '../record.ts';

const conflicts = 20;

/** It is there, it is the same, and nobody is deleting it. */
export async function readChild(
  { api }: Pick<MigrationParts, 'api'>,
  child: RecordedChild,
  signal: AbortSignal,
): Promise<Result<AnyObject>> {
  const found = await api.get<AnyObject>(child.resource, refOf(child), signal);
  const what = describeChild(child);
  if (!found.ok) {
    return found.error.kind === 'not-found'
      ? migrationFailure('MigrationStuck', `${what} is gone: nothing more is done`)
      : found;
  }
  const object = { apiVersion: apiVersionOf(child.resource), kind: child.resource.kind, ...found.value };
  if (object.metadata.uid !== child.uid) {
    return migrationFailure('MigrationStuck', `${what} is another object than before: nothing more is done`);
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    return migrationFailure('MigrationStuck', `${what} is being deleted: nothing more is done`);
  }
  return ok(object);
}

export const refOf = ({ name, namespace }: RecordedChild) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** Reads, works out what to change, and writes on the condition that it is what was read. Nothing to change is done. */
export async function changeChild(
  parts: Pick<MigrationParts, 'api' | 'wait'>,
  child: RecordedChild,
  change: (object: AnyObject) => JsonPatchOperation[],
  signal: AbortSignal,
): Promise<Result<AnyObject>> {
  for (let time = 0; time < conflicts; time++) {
    const read = await readChild(parts, child, signal);
    if (!read.ok) return read;
    const operations = change(read.value);
    if (operations.length === 0) return read;
    const { uid, resourceVersion } = read.value.metadata;
    const tests: JsonPatchOperation[] = [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ];
    const written = await parts.api.jsonPatch<AnyObject>(
      child.resource,
      refOf(child),
      [...tests, ...operations],
      {},
      signal,
    );
    if (written.ok) return ok({ ...read.value, ...written.value });
    if (written.error.kind !== 'conflict') return written;
    await parts.wait(100, signal);
  }
  return failed('conflict', `${describeChild(child)} changes too often`);
}

export const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** One annotation; null removes it. */
export function annotate({ metadata }: AnyObject, key: string, value: string | null): JsonPatchOperation[] {
  const before = metadata.annotations?.[key];
  if (value === null)
    return before === undefined ? [] : [{ op: 'remove', path: `/metadata/annotations/${pointer(key)}` }];
  if (before === value) return [];
  if (metadata.annotations === undefined)
    return [{ op: 'add', path: '/metadata/annotations', value: { [key]: value } }];
  return [{ op: 'add', path: `/metadata/annotations/${pointer(key)}`, value }];
}

/** From here on no mistake, of whomever, deletes anything in Azure. */
export async function disarm(
  parts: MigrationParts,
  { children }: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const child of children) {
    const change = (object: AnyObject): JsonPatchOperation[] =>
      isOfOperator(object) && !isDisarmed(object) ? annotate(object, reconcilePolicy, 'detach-on-delete') : [];
    const written = await changeChild(parts, child, change, signal);
    if (!written.ok) return written;
  }
  return isAllDisarmed(parts, children, signal);
}

/** Read back, because somebody may have written in between. */
export async function isAllDisarmed(
  parts: Pick<MigrationParts, 'api'>,
  children: readonly RecordedChild[],
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const child of children) {
    const read = await readChild(parts, child, signal);
    if (!read.ok) return read;
    if (!isDisarmed(read.value)) {
      const cause = `the annotation ${reconcilePolicy} of ${describeChild(child)} does not stay detach-on-delete`;
      return migrationFailure('MigrationStuck', `${cause}: does the graph set it?`);
    }
  }
  return ok(undefined);
}

/** Garbage collection would take what belongs to an instance that is gone. */
export async function cutOwners(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const child of record.children) {
    const change = ({ metadata }: AnyObject): JsonPatchOperation[] => {
      const owners = metadata.ownerReferences ?? [];
      const kept = owners.filter(({ uid }) => uid !== record.instance.uid);
      if (kept.length === owners.length) return [];
      return [{ op: 'replace', path: '/metadata/ownerReferences', value: JSON.parse(JSON.stringify(kept)) }];
    };
    const written = await changeChild(parts, child, change, signal);
    if (!written.ok) return written;
  }
  return ok(undefined);
}
