/**
 * A change to a Node that can't collide with what kubelets and the node controller write all the time. A patch that is
 * conditional on the resourceVersion would fail at every heartbeat; this one is a JSON patch that tests the uid and just the
 * list items it relies on, so the API server itself applies it to whatever the node has become meanwhile.
 */

import type { Json } from '../../base/json.ts';
import type { JsonPatchOperation, KubeObject } from '../../kube/contract.ts';
import { matchesTaint } from '../claims/spec/taints.ts';
import type { Node, OwnerReference, Taint } from '../claims/spec/types.ts';

export interface WantedOnNode {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  finalizer: string;
  owner: OwnerReference;
  /** The whole list as it should be. */
  taints: readonly Taint[];
}

/** Undefined: the node has all of it. */
export function nodePatch(node: Node & KubeObject, wanted: WantedOnNode): JsonPatchOperation[] | undefined {
  const { metadata, spec } = node;
  const operations = [
    ...mapOperations('/metadata/labels', metadata.labels, wanted.labels),
    ...mapOperations('/metadata/annotations', metadata.annotations, wanted.annotations),
    ...addFinalizer(metadata.finalizers, wanted.finalizer),
    ...appendOperations(
      '/metadata/ownerReferences',
      metadata.ownerReferences?.map((owner) => ({ ...owner })),
      metadata.ownerReferences?.some(({ uid }) => uid === wanted.owner.uid) ? [] : [{ ...wanted.owner }],
    ),
    ...taintOperations(spec?.taints, wanted.taints),
  ];
  if (operations.length === 0) return undefined;
  return [{ op: 'test', path: '/metadata/uid', value: metadata.uid }, ...operations];
}

const finalizersPath = '/metadata/finalizers';

/** None where it is there. */
export const addFinalizer = (present: string[] | undefined, finalizer: string): JsonPatchOperation[] =>
  appendOperations(finalizersPath, present, present?.includes(finalizer) ? [] : [finalizer]);

/** None where it is not there. */
export function removeFinalizer(present: readonly string[] | undefined, finalizer: string): JsonPatchOperation[] {
  if (!present?.includes(finalizer)) return [];
  const rest = present.filter((one) => one !== finalizer);
  const path = finalizersPath;
  return [
    { op: 'test', path, value: [...present] },
    rest.length === 0 ? { op: 'remove', path } : { op: 'replace', path, value: rest },
  ];
}

/** Key by key, because other keys are other people's. */
function mapOperations(
  path: string,
  present: Record<string, string> | undefined,
  wanted: Record<string, string>,
): JsonPatchOperation[] {
  const missing = Object.entries(wanted).filter(([key, value]) => present?.[key] !== value);
  if (missing.length === 0) return [];
  if (present === undefined) return [absent(path), { op: 'add', path, value: Object.fromEntries(missing) }];
  return missing.map(([key, value]) => ({ op: 'add', path: `${path}/${escapePointer(key)}`, value }));
}

/** The list is tested as a whole: hardly anybody else writes it, and an item added twice would stay twice. */
function appendOperations(path: string, present: Json[] | undefined, added: Json[]): JsonPatchOperation[] {
  if (added.length === 0) return [];
  if (present === undefined) return [absent(path), { op: 'add', path, value: added }];
  return [
    { op: 'test', path, value: present },
    ...added.map((value) => ({ op: 'add' as const, path: `${path}/-`, value })),
  ];
}

/** Only the taint that goes is tested: the node controller puts its own on and off just when a node becomes Ready. */
function taintOperations(present: readonly Taint[] | undefined, wanted: readonly Taint[]): JsonPatchOperation[] {
  const path = '/spec/taints';
  const added = wanted.filter((taint) => !present?.some((one) => matchesTaint(one, taint)));
  if (present === undefined) {
    if (added.length === 0) return [];
    return [absent(path), { op: 'add', path, value: added.map((taint) => ({ ...taint })) }];
  }
  const removed = present.flatMap((taint, index) => (wanted.some((one) => matchesTaint(one, taint)) ? [] : [index]));
  return [
    // From the end, so that a removal does not move the next one.
    ...removed.reverse().flatMap((index): JsonPatchOperation[] => [
      { op: 'test', path: `${path}/${index}/key`, value: present[index]?.key ?? '' },
      { op: 'test', path: `${path}/${index}/effect`, value: present[index]?.effect ?? '' },
      { op: 'remove', path: `${path}/${index}` },
    ]),
    ...added.map((taint) => ({ op: 'add' as const, path: `${path}/-`, value: { ...taint } })),
  ];
}

/** The API server takes a field that is not there for null; so this fails once somebody has set it. */
export const absent = (path: string): JsonPatchOperation => ({ op: 'test', path, value: null });

const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
