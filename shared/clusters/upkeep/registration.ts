/** Ready clusters that this deployment serves are in its register. State may be lost: then they are registered again. */
import { ok } from '../../base/result.ts';
import type { RegisteredCluster } from '../registered/contract.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { manifestsOf } from '../steps/judge.ts';
import { withNewCluster } from '../steps/new-cluster.ts';
import { register } from '../steps/new-stage.ts';
import { logFor } from '../steps/place.ts';
import { recordOf } from '../steps/record.ts';
import { refOf } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';
import { phaseOf } from './phase-of.ts';

export async function keepRegistered(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  registered: readonly RegisteredCluster[],
  signal: AbortSignal,
): Promise<void> {
  const record = recordOf(request);
  if (record?.resolved.nodes !== 'poolwright' || phaseOf(request) !== 'ready') return;
  if (registered.some((one) => one.request.uid === request.metadata.uid)) return;
  const ref = refOf(place.name, request);
  const planned = manifestsOf(services, record);
  const done = await withNewCluster(
    services,
    place,
    ref,
    planned,
    async (cluster) => ok(await register(services, ref, cluster, placeInAzure(request), signal)),
    signal,
  );
  if (done.ok && done.value.state === 'ready') return;
  const problem = done.ok
    ? 'waitingFor' in done.value
      ? done.value.waitingFor
      : done.value.state
    : done.error.message;
  logFor(services, ref).write('cluster-requests.undecided', { problem });
}

export const placeInAzure = ({ status, spec }: StoredRequest): RegisteredCluster['place'] =>
  status?.cluster?.id === undefined ? undefined : { id: status.cluster.id, location: spec.location };
