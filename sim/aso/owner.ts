/** Below what an object is in Azure, and whether that is there. */
import { asObject } from '../../shared/base/json.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { type Standing, warning } from './conditions.ts';
import { type AsoKind, asoKindOf } from './kinds.ts';
import { type AsoObject, annotation, marks, readyOf } from './object.ts';

export type Above =
  | { id: string; owner?: { kind: AsoKind; object: AsoObject } }
  /** Waiting; `key` is what for, where it is an object. */
  | { problem: Standing; kind?: AsoKind; name?: string };

/** @param subscription Where a resource group is. */
export async function ownerOf(
  api: ClusterApi,
  kind: AsoKind,
  { spec, metadata }: AsoObject,
  subscription: string,
): Promise<Above> {
  if (kind.owner === 'none') return { id: `/subscriptions/${subscription}` };
  const given = asObject(spec.owner) ?? {};
  // What the operator does not manage it does not wait for.
  if (typeof given.armId === 'string') return { id: given.armId };
  const [group, name] =
    kind.owner === 'any' ? [String(given.group), String(given.kind)] : [kind.owner.group, kind.owner.kind];
  const ownerName = typeof given.name === 'string' ? given.name : '';
  const ownerKind = asoKindOf(group, name);
  const absent = `Owner "${metadata.namespace}/${ownerName}", Group/Kind "${group}/${name}" cannot be found.`;
  if (ownerKind === undefined) return { problem: warning('WaitingForOwner', absent) };
  const found = await api.get<AsoObject>(ownerKind.resource, {
    name: ownerName,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  });
  const waiting = (message: string): Above => ({
    problem: warning('WaitingForOwner', message),
    kind: ownerKind,
    name: ownerName,
  });
  if (!found.ok) return waiting(absent);
  const id = annotation(found.value, marks.resourceId);
  if (readyOf(found.value)?.status !== 'True' || id === undefined) {
    return waiting(`Owner "${metadata.namespace}/${ownerName}", Group/Kind "${group}/${name}" is not ready.`);
  }
  return { id, owner: { kind: ownerKind, object: found.value } };
}
