/** Starting what a request needs, once, however many sources ask for it. */
import { failed, ok, type Result } from '../base/result.ts';
import type { ClusterRequestServices, RequestRef } from './services.ts';
import { type RequestWorkflow, wantedWorkflow } from './steps/phase.ts';
import { readRequest } from './steps/request-access.ts';
import { refOf, workflowKey } from './steps/workflow-key.ts';
import type { StoredRequest } from './store/contract.ts';
import { deleteCluster } from './workflow/delete.ts';
import { provisionCluster } from './workflow/provision.ts';
import { lookSignal } from './workflow/until-answered.ts';

/** The kind of workflow that was started now, or undefined when none was needed or one runs already. */
export async function ensureRequestWorkflow(
  services: ClusterRequestServices,
  cluster: string,
  request: StoredRequest,
): Promise<RequestWorkflow | undefined> {
  const wanted = wantedWorkflow(request, services.clock.now());
  if (wanted === undefined) return undefined;
  const ref = refOf(cluster, request);
  const workflow = wanted === 'provision-cluster' ? provisionCluster : deleteCluster;
  const { started } = await services.workflows.ensure({
    workflow,
    key: workflowKey(ref, wanted),
    input: ref,
    group: cluster,
  });
  return started ? wanted : undefined;
}

/** Starts now what the request needs, and has what waits for it read it again: for whoever has changed it, or was told that it has changed. */
export async function wakeRequest(
  services: ClusterRequestServices,
  ref: RequestRef,
  signal?: AbortSignal,
): Promise<Result<RequestWorkflow | undefined>> {
  const place = services.place(ref.cluster);
  if (place === undefined) return failed('not-found', `${ref.cluster} has no place for requests`);
  const read = await readRequest(place, ref, signal);
  if (read.found === 'unknown') return { ok: false, error: read.failure };
  const started =
    read.found === 'request' ? await ensureRequestWorkflow(services, ref.cluster, read.request) : undefined;
  await signalRequest(services, ref);
  return ok(started);
}

async function signalRequest(services: ClusterRequestServices, ref: RequestRef): Promise<void> {
  await services.workflows.signal(workflowKey(ref, 'provision-cluster'), lookSignal);
  await services.workflows.signal(workflowKey(ref, 'delete-cluster'), lookSignal);
}
