/** Ready clusters that this deployment serves are in its register. State may be lost: then they are registered again. */
import { ok } from '../../base/result.ts';
import { forgetSeen, seenTwice } from '../../state/two-readings.ts';
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
import { isResting, rest } from './rest.ts';

/** @param registered Uids of the requests whose clusters are registered. */
export async function keepRegistered(
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  registered: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const record = recordOf(request);
  if (record?.resolved.nodes !== 'poolwright' || phaseOf(request) !== 'ready') return;
  if (registered.has(request.metadata.uid)) return;
  const ref = refOf(place.name, request);
  if (await isResting(services, ref)) return;
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
  await rest(services, place, ref);
}

export const placeInAzure = ({ status, spec }: StoredRequest): RegisteredCluster['place'] =>
  status?.cluster?.id === undefined ? undefined : { id: status.cluster.id, location: spec.location };

/** A registration that came late, or whose request somebody took away by force. Two readings, a grace apart, come first. */
export async function dropRegistrations(
  services: ClusterRequestServices,
  place: RequestPlace,
  registered: readonly RegisteredCluster[],
  requests: readonly StoredRequest[],
  signal: AbortSignal,
): Promise<void> {
  const uids = new Set(requests.map(({ metadata }) => metadata.uid));
  for (const { name, request } of registered) {
    if (request.store !== place.name || uids.has(request.uid)) continue;
    const seen = `cluster-request-unregistered/${place.name}/${request.uid}`;
    if (!(await seenTwice(services, seen, place.settings.graceSeconds))) continue;
    const dropped = await services.register.unregisterCluster(name, { uid: request.uid }, signal);
    if (dropped.ok) await forgetSeen(services, seen);
  }
}
