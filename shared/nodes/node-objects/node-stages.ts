/**
 * What a Node needs to become ours (Registered) and fit for work (Initialized), as Karpenter does it. Pure: from a claim
 * and a node to the patch that is due and what is still missing.
 */

import type { JsonPatchOperation, KubeObject } from '../../kube/contract.ts';
import { diskSizeResource } from '../claims/choice/choose.ts';
import { parseResources } from '../claims/spec/resources.ts';
import {
  formatTaint,
  isEphemeralTaint,
  matchesTaint,
  mergeTaints,
  removeTaint,
  unregisteredTaint,
} from '../claims/spec/taints.ts';
import type { Node, OwnerReference, Taint } from '../claims/spec/types.ts';
import { annotations, conditionTypes, labels, terminationFinalizer } from '../claims/spec/well-known.ts';
import { conditionOf, type StoredClaim } from '../steps/claim-access.ts';
import { nodePatch } from './node-patch.ts';

export type StoredNode = Node & KubeObject;

export const isReady = (node: StoredNode): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/**
 * What a node still lacks. The reasons are Karpenter's; `detail` may change from look to look and is told once: as long as it is the same
 * `node`.
 */
export interface NodeWait {
  reason: 'NodeNotReady' | 'StartupTaintsExist' | 'KnownEphemeralTaintsExist' | 'ResourceNotRegistered';
  message: string;
  node?: string;
  detail?: string;
}

export interface NodeStages {
  /** The patch that is due, or undefined. It makes the node Registered, and labels it initialized if it is. */
  patch: JsonPatchOperation[] | undefined;
  /** Undefined when the node is initialized. */
  waitingFor: NodeWait | undefined;
}

/** `madeToMeasure`: requested resources that no Node shows, beside the size of the disk. */
export function nodeStages(claim: StoredClaim, node: StoredNode, madeToMeasure: readonly string[] = []): NodeStages {
  const taints = registeredTaints(claim, node);
  const waitingFor = missing(claim, node, taints, madeToMeasure);
  const patch = nodePatch(node, {
    labels: {
      ...claim.metadata.labels,
      [labels.registered]: 'true',
      ...(waitingFor === undefined ? { [labels.initialized]: 'true' } : {}),
    },
    annotations: shared(claim.metadata.annotations),
    finalizer: terminationFinalizer,
    owner: ownerReference(claim),
    taints,
  });
  return { patch, waitingFor };
}

/** The claim that this node belongs to, if it is not the one we mean. What belongs to somebody else is never changed. */
export const otherOwner = (claim: StoredClaim, node: StoredNode): OwnerReference | undefined => {
  const owners = node.metadata.ownerReferences?.filter(
    ({ kind, apiVersion }) => kind === 'NodeClaim' && apiVersion.startsWith('karpenter.sh/'),
  );
  return owners?.some(({ uid }) => uid === claim.metadata.uid) ? undefined : owners?.[0];
};

/** The node's taints once it is registered: the claim's are on it, the one that kept pods away is not. */
function registeredTaints(claim: StoredClaim, node: StoredNode): Taint[] {
  const present = node.spec?.taints ?? [];
  const registered = node.metadata.labels?.[labels.registered] === 'true';
  // Taints are given once: what somebody removed after registration stays removed, startup taints above all.
  const given = registered || node.metadata.labels?.[labels.doNotSyncTaints] === 'true';
  // A Node that was made anew by its kubelet belongs to a machine that has been through its start-up already.
  const started = conditionOf(claim, conditionTypes.initialized)?.status === 'True';
  const startup = started ? [] : (claim.spec.startupTaints ?? []);
  const wanted = given ? [] : [...(claim.spec.taints ?? []), ...startup];
  return removeTaint(mergeTaints(present, wanted), unregisteredTaint);
}

/** The node goes when its claim goes; the claim's deletion waits for it. */
const ownerReference = (claim: StoredClaim): OwnerReference => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  name: claim.metadata.name,
  uid: claim.metadata.uid,
  blockOwnerDeletion: true,
});

const bookkeeping: ReadonlySet<string> = new Set([annotations.attempt, annotations.pricePerHour]);

/** Our own book-keeping and kubectl's stay on the claim. */
const shared = (all: Record<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all ?? {}).filter(([key]) => !bookkeeping.has(key) && !key.startsWith('kubectl.kubernetes.io/')),
  );

/** `taints`: as they will be once the node is registered. */
function missing(
  claim: StoredClaim,
  node: StoredNode,
  taints: readonly Taint[],
  madeToMeasure: readonly string[],
): NodeWait | undefined {
  const { name } = node.metadata;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') {
    const message = `node ${name} is not Ready`;
    return { reason: 'NodeNotReady', message, node: name, ...(ready?.message ? { detail: ready.message } : {}) };
  }
  const startup = claim.spec.startupTaints?.find((one) => taints.some((taint) => matchesTaint(taint, one)));
  if (startup) {
    return { reason: 'StartupTaintsExist', message: `node ${name} still has startup taint ${formatTaint(startup)}` };
  }
  const ephemeral = taints.find(isEphemeralTaint);
  if (ephemeral) {
    return { reason: 'KnownEphemeralTaintsExist', message: `node ${name} still has taint ${formatTaint(ephemeral)}` };
  }
  const requests = parseResources(claim.spec.resources?.requests);
  const allocatable = parseResources(node.status?.allocatable, 'status.allocatable');
  // `choose` has refused such wishes before anything was bought.
  if (!requests.ok) return undefined;
  for (const [resource, requested] of requests.value) {
    if (resource === diskSizeResource || madeToMeasure.includes(resource)) continue;
    const offered = allocatable.ok ? allocatable.value.get(resource)?.nanos : undefined;
    // Not "enough of it": the device plugin reports a resource as none until it has found its devices.
    if (requested.nanos > 0n && (offered ?? 0n) === 0n) {
      return { reason: 'ResourceNotRegistered', message: `node ${name} does not report ${resource} yet` };
    }
  }
  return undefined;
}
