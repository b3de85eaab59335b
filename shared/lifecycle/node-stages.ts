/**
 * What a Node needs to become ours (Registered) and fit for work (Initialized), as Karpenter does it. Pure: from a claim
 * and a node to the patch that is due and what is still missing.
 */
import { parseResources } from '../claims/resources.ts';
import {
  equalTaints,
  formatTaint,
  isEphemeralTaint,
  matchesTaint,
  mergeTaints,
  removeTaint,
  unregisteredTaint,
} from '../claims/taints.ts';
import type { Node, OwnerReference, Taint } from '../claims/types.ts';
import { annotations, labels, terminationFinalizer } from '../claims/well-known.ts';
import type { KubeObject } from '../cluster/contract.ts';
import type { Json } from '../json.ts';
import type { StoredClaim } from './claim-access.ts';

export type StoredNode = Node & KubeObject;

export const isReady = (node: StoredNode): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

export interface NodeStages {
  /** The merge patch that is due, or undefined. It makes the node Registered, and labels it initialized if it is. */
  patch: Json | undefined;
  /** Undefined when the node is initialized; else what it still lacks, for people. */
  waitingFor: string | undefined;
}

export function nodeStages(claim: StoredClaim, node: StoredNode): NodeStages {
  const taints = registeredTaints(claim, node);
  const waitingFor = missing(claim, node, taints);
  return { patch: registrationPatch(claim, node, taints, waitingFor === undefined), waitingFor };
}

/** The node's taints once it is registered: the claim's are on it, the one that kept pods away is not. */
function registeredTaints(claim: StoredClaim, node: StoredNode): Taint[] {
  const present = node.spec?.taints ?? [];
  const registered = node.metadata.labels?.[labels.registered] === 'true';
  // Taints are given once: what somebody removed after registration stays removed, startup taints above all.
  const given = registered || node.metadata.labels?.[labels.doNotSyncTaints] === 'true';
  const wanted = given ? [] : [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])];
  return removeTaint(mergeTaints(present, wanted), unregisteredTaint);
}

function registrationPatch(
  claim: StoredClaim,
  node: StoredNode,
  taints: readonly Taint[],
  initialized: boolean,
): Json | undefined {
  const metadata: { [key: string]: Json } = {};
  const wantedLabels = {
    ...claim.metadata.labels,
    [labels.registered]: 'true',
    ...(initialized ? { [labels.initialized]: 'true' } : {}),
  };
  const newLabels = difference(wantedLabels, node.metadata.labels);
  if (newLabels) metadata.labels = newLabels;
  const newAnnotations = difference(shared(claim.metadata.annotations), node.metadata.annotations);
  if (newAnnotations) metadata.annotations = newAnnotations;
  const finalizers = node.metadata.finalizers ?? [];
  if (!finalizers.includes(terminationFinalizer)) metadata.finalizers = [...finalizers, terminationFinalizer];
  const owners = node.metadata.ownerReferences ?? [];
  if (!owners.some(({ uid }) => uid === claim.metadata.uid)) {
    metadata.ownerReferences = [...owners, ownerReference(claim)].map((owner) => ({ ...owner }));
  }
  const sameTaints =
    taints.length === (node.spec?.taints ?? []).length &&
    taints.every((taint) => node.spec?.taints?.some((one) => equalTaints(one, taint)));
  const patch: { [key: string]: Json } = {};
  if (Object.keys(metadata).length > 0) patch.metadata = metadata;
  if (!sameTaints) patch.spec = { taints: taints.map((taint) => ({ ...taint })) };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The node goes when its claim goes; the claim's deletion waits for it. */
const ownerReference = (claim: StoredClaim): OwnerReference => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  name: claim.metadata.name,
  uid: claim.metadata.uid,
  blockOwnerDeletion: true,
});

/** Our own book-keeping and kubectl's stay on the claim. */
const shared = (all: Record<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all ?? {}).filter(
      ([key]) => key !== annotations.attempt && !key.startsWith('kubectl.kubernetes.io/'),
    ),
  );

function difference(
  wanted: Record<string, string>,
  present: Record<string, string> | undefined,
): Record<string, string> | undefined {
  const entries = Object.entries(wanted).filter(([key, value]) => present?.[key] !== value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function missing(claim: StoredClaim, node: StoredNode, taints: readonly Taint[]): string | undefined {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') {
    return `node ${node.metadata.name} is not Ready${ready?.message ? `: ${ready.message}` : ''}`;
  }
  const startup = claim.spec.startupTaints?.find((one) => taints.some((taint) => matchesTaint(taint, one)));
  if (startup) return `startup taint ${formatTaint(startup)} is still on node ${node.metadata.name}`;
  const ephemeral = taints.find(isEphemeralTaint);
  if (ephemeral) return `taint ${formatTaint(ephemeral)} is still on node ${node.metadata.name}`;
  const requests = parseResources(claim.spec.resources?.requests);
  const allocatable = parseResources(node.status?.allocatable, 'status.allocatable');
  if (!requests.ok || !allocatable.ok) return undefined;
  for (const [name, requested] of requests.value) {
    if (requested.nanos > 0n && (allocatable.value.get(name)?.nanos ?? 0n) === 0n) {
      return `node ${node.metadata.name} does not offer ${name} yet`;
    }
  }
  return undefined;
}
