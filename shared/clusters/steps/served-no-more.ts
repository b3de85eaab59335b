/**
 * The end of the service of a cluster that is to be deleted. A machine may be at any provider, also outside of Azure: once its cluster is
 * gone, nothing says any more that it exists. So its claims go first, while the host still serves the cluster.
 */
import { ok, type Result } from '../../base/result.ts';
import { findCondition } from '../../kube/conditions.ts';
import { requestConditions } from '../request/marks.ts';
import { usualNodeResourceGroup } from '../resolved/names.ts';
import type { ClusterRequestServices, RequestPlace, RequestRef } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';
import { manifestsOf } from './judge.ts';
import { withNewCluster } from './new-cluster.ts';
import { register, registeredName } from './new-stage.ts';
import { letNodesGo } from './nodes-go.ts';
import { logFor } from './place.ts';
import { type RequestRecord, recordOf } from './record.ts';
import { changeRequest } from './request-access.ts';
import { statusChange, withConditions } from './status.ts';

/** A cluster that does not answer, or a claim that does not go, must not keep the cluster for ever. */
const longestMs = 15 * 60_000;
const shownNames = 5;

/** What is waited for; undefined: the host does not serve the cluster any more. */
export async function servedNoMore(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  signal: AbortSignal,
): Promise<Result<string | undefined>> {
  const listed = await services.register.list(signal);
  if (!listed.ok) return listed;
  const isRegistered = listed.value.some((one) => one.request.uid === ref.uid);
  // The condition outlives the register, which is in a state that may be lost.
  const was = findCondition(request.status?.conditions, requestConditions.registered)?.status === 'True';
  if (!isRegistered && !was) return ok(undefined);
  const left = await nodesLeft(services, place, ref, request, isRegistered, signal);
  if (left !== undefined) {
    const since = Date.parse(request.metadata.deletionTimestamp ?? '');
    if (services.clock.now() - since <= longestMs) return ok(left);
    logFor(services, ref).write('cluster-request.nodes.left', { problem: left });
  }
  const unregistered = await services.register.unregisterCluster(registeredName(ref), { uid: ref.uid }, signal);
  // The name of another request's cluster is none of our business.
  if (!unregistered.ok && unregistered.error.kind !== 'conflict') return unregistered;
  return await say(services, place, ref, request, signal);
}

async function nodesLeft(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  request: StoredRequest,
  isRegistered: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const record = recordOf(request);
  // With its guard the cluster stays, and so do its nodes.
  if (record === undefined || request.spec.deleteGuard === true) return undefined;
  const { id } = request.status?.cluster ?? {};
  const where = id === undefined ? undefined : { id, location: record.resolved.location };
  const left = await withNewCluster(
    services,
    place,
    ref,
    manifestsOf(services, record),
    async (cluster) => {
      // Where the state was lost, no host serves the claims until it is told.
      if (!isRegistered) await register(services, ref, cluster, where, signal);
      return letNodesGo(cluster.api, services.clock, nodeGroupOf(request, record), signal);
    },
    signal,
  );
  if (!left.ok) return `the API of the cluster to answer, because its nodes go first: ${left.error.message}`;
  if (left.value.length === 0) return undefined;
  return `the nodes of the cluster to be gone: ${left.value.slice(0, shownNames).join(', ')}`;
}

const nodeGroupOf = ({ status }: StoredRequest, { resolved }: RequestRecord): string =>
  status?.cluster?.nodeResourceGroup ??
  resolved.nodeResourceGroup ??
  usualNodeResourceGroup(resolved.resourceGroup, resolved.clusterName, resolved.location);

/** Written down, so that nobody looks for nodes in a cluster that is on its way out. */
async function say(
  services: ClusterRequestServices,
  place: RequestPlace,
  ref: RequestRef,
  known: StoredRequest,
  signal: AbortSignal,
): Promise<Result<undefined>> {
  const change = { type: requestConditions.registered, status: 'False', reason: 'Deleting' } as const;
  const written = await changeRequest(
    place,
    ref,
    (request) => {
      const conditions = withConditions(request, [change], services.clock.now());
      const status = conditions && statusChange(request, { conditions });
      return status && { status };
    },
    signal,
    known,
  );
  return written.ok ? ok(undefined) : { ok: false, error: written.failure };
}
