/** Lets go of the claims in a cluster that is to be deleted, so that the host deletes their machines. */

import { ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { toWireTime } from '../../kube/conditions.ts';
import {
  type ClusterApi,
  failureCodes,
  type KubeObject,
  nodeClaims,
  nodePools,
  type Resource,
} from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { nodeClassKind } from '../manifests/resources.ts';

/** Drains end at this time: the pods end with the cluster anyway. */
const terminationTimestamp = 'karpenter.sh/nodeclaim-termination-timestamp';

interface Claim extends KubeObject {
  spec?: { nodeClassRef?: { group?: string } };
  status?: { providerID?: string };
}

/**
 * The pools first, or they would make new claims. Answers the claims that are still there.
 * @param nodeGroup Resource group of the nodes: what is in there ends with the cluster.
 */
export async function letNodesGo(
  api: ClusterApi,
  clock: Clock,
  nodeGroup: string,
  signal: AbortSignal,
): Promise<Result<string[]>> {
  const pools = await all<KubeObject>(api, nodePools, signal);
  if (!pools.ok) return pools;
  for (const pool of pools.value) {
    const removed = await remove(api, nodePools, pool, signal);
    if (!removed.ok) return removed;
  }
  const claims = await all<Claim>(api, nodeClaims, signal);
  if (!claims.ok) return claims;
  const elsewhere = claims.value.filter((claim) => !endsWithCluster(claim, nodeGroup));
  for (const claim of elsewhere) {
    const { name, uid, annotations } = claim.metadata;
    if (annotations?.[terminationTimestamp] === undefined) {
      const patch = { metadata: { uid, annotations: { [terminationTimestamp]: toWireTime(clock.now()) } } };
      const hurried = await api.mergePatch(nodeClaims, { name }, patch, {}, signal);
      if (!hurried.ok && !isPassing(hurried.error.kind)) return hurried;
    }
    const removed = await remove(api, nodeClaims, claim, signal);
    if (!removed.ok) return removed;
  }
  return ok(elsewhere.map(({ metadata }) => metadata.name));
}

/** It is an agent pool of the cluster, or becomes one. */
function endsWithCluster({ spec, status }: Claim, nodeGroup: string): boolean {
  const providerID = status?.providerID?.toLowerCase();
  if (providerID === undefined) return spec?.nodeClassRef?.group === nodeClassKind.group;
  return providerID.startsWith('azure:') && providerID.includes(`/resourcegroups/${nodeGroup.toLowerCase()}/`);
}

async function all<T extends KubeObject>(
  api: ClusterApi,
  resource: Resource,
  signal: AbortSignal,
): Promise<Result<T[]>> {
  const found: T[] = [];
  const reader = { onStart: () => void found.splice(0), onItem: (one: T) => void found.push(one) };
  const listed = await listAll<T>(api, resource, {}, reader, signal);
  return listed.ok || listed.error.code === failureCodes.notServed ? ok(found) : listed;
}

const isPassing = (kind: string): boolean => kind === 'not-found' || kind === 'conflict';

async function remove(
  api: ClusterApi,
  resource: Resource,
  { metadata: { name, uid, deletionTimestamp } }: KubeObject,
  signal: AbortSignal,
): Promise<Result<void>> {
  if (deletionTimestamp !== undefined) return ok(undefined);
  const deleted = await api.delete(resource, { name }, { uid }, signal);
  return deleted.ok || isPassing(deleted.error.kind) ? ok(undefined) : deleted;
}
