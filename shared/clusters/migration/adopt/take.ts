/**
 * The objects become those of the request: KRO's marks and its hold on their fields go, ours come, and the manifests are applied. What the
 * request has no place for keeps its fields and belongs to no one.
 */
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { JsonPatchOperation } from '../../../kube/contract.ts';
import { type AsoObject, readyCondition } from '../../drivers/aso/condition.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import type { AnyObject } from '../kro/graph.ts';
import { isOfOperator } from '../kro/kinds.ts';
import { isKroManager } from '../kro/marks.ts';
import { azureIdOf, isKrosField, isReady, kroLabelsOf } from '../kro/state.ts';
import { type MigrationParts, migrationFailure, waitUntil } from '../parts.ts';
import { describeChild, describeInstance, type MigrationRecord, type RecordedChild } from '../record.ts';
import { changeChild, disarm, readChild } from './children.ts';
import { readInstance } from './instance.ts';

/** As connections of hosts and of this command name themselves in merge and JSON patches. */
const ownUpdates = new Set(['poolwright', 'poolwright-cli']);

export const isOf = (manifest: Manifest, { resource, name, namespace }: RecordedChild): boolean =>
  manifest.kind === resource.kind && manifest.metadata.name === name && manifest.metadata.namespace === namespace;

export async function take(
  parts: MigrationParts,
  record: MigrationRecord,
  manifests: readonly Manifest[],
  signal: AbortSignal,
): Promise<Result<void>> {
  const there = await readInstance(parts, record, signal);
  if (!there.ok) return there;
  // KRO would take it all back by name.
  if (there.value !== undefined) {
    return migrationFailure(
      'MigrationStuck',
      `${describeInstance(record)} was made anew by somebody: suspend it first`,
    );
  }
  const safe = await disarm(parts, record, signal);
  if (!safe.ok) return safe;
  for (const child of record.children) {
    const manifest = manifests.find((one) => isOf(one, child));
    const marked = await changeChild(parts, child, (object) => relabel(object, manifest), signal);
    if (!marked.ok) return marked;
  }
  for (const manifest of manifests) {
    // What does not exist yet is the host's to make, in its order.
    if (!record.children.some((child) => isOf(manifest, child))) continue;
    const applied = await parts.driver.apply(manifest, signal);
    if (!applied.ok) return applied;
  }
  return ok(undefined);
}

/** Labels, and who holds which field; all in one write. */
export function relabel(object: AnyObject, manifest: Manifest | undefined): JsonPatchOperation[] {
  const { labels = {}, managedFields = [] } = object.metadata;
  const kro = new Set(kroLabelsOf(object));
  const ours = manifest?.metadata.labels ?? {};
  const wanted = { ...Object.fromEntries(Object.entries(labels).filter(([key]) => !kro.has(key))), ...ours };
  const kept = managedFields.filter(
    ({ manager, operation }) => !isKroManager(manager) && !(operation === 'Update' && ownUpdates.has(manager ?? '')),
  );
  const isMarked = Object.entries(ours).every(([key, value]) => labels[key] === value);
  if (kro.size === 0 && isMarked && !isKrosField(object)) return [];
  return [
    { op: Object.keys(labels).length === 0 ? 'add' : 'replace', path: '/metadata/labels', value: wanted },
    ...(kept.length === managedFields.length ? [] : [fieldsOf(kept)]),
  ];
}

/** An empty list says nothing to an API server; a list with an empty entry removes all. */
const fieldsOf = (kept: readonly unknown[]): JsonPatchOperation => ({
  op: 'replace',
  path: '/metadata/managedFields',
  value: (kept.length === 0 ? [{}] : JSON.parse(JSON.stringify(kept))) as Json,
});

const proveForMs = 15 * 60_000;
const proveEveryMs = 2000;

export interface Proof {
  object: string;
  uid: string;
  azureId: string | null;
  generation: number;
}

/** The same objects, the same things in Azure, Ready for what the request says. */
export async function prove(
  parts: MigrationParts,
  { children }: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<Proof[]>> {
  const proofs: Proof[] = [];
  for (const child of children) {
    const what = describeChild(child);
    const look = async (): Promise<Result<AnyObject | undefined>> => {
      const read = await readChild(parts, child, signal);
      return read.ok && !isReady(read.value) ? ok(undefined) : read;
    };
    const ready = await waitUntil(parts, { everyMs: proveEveryMs, forMs: proveForMs }, look, signal);
    if (!ready.ok) return ready;
    if (ready.value === undefined) {
      const now = await readChild(parts, child, signal);
      const condition = now.ok ? readyCondition(now.value as AsoObject) : undefined;
      return failed('not-ready', `${what} is not Ready${condition === undefined ? '' : `: ${condition.message}`}`, {
        code: 'KroChildNotReady',
        reason: 'KroChildNotReady',
      });
    }
    const azureId = azureIdOf(ready.value) ?? null;
    if (isOfOperator(ready.value) && child.azureId !== null && azureId !== child.azureId) {
      return migrationFailure(
        'MigrationStuck',
        `${what} stands for ${azureId ?? 'nothing'} in Azure, and stood for ${child.azureId}`,
      );
    }
    const { uid, generation = 0 } = ready.value.metadata;
    proofs.push({ object: what, uid, azureId, generation });
  }
  return ok(proofs);
}
