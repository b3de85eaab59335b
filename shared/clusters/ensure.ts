/** Starting what a request needs, once, however many sources ask for it. */
import type { ClusterRequestServices, RequestRef } from './services.ts';
import { type RequestWorkflow, wantedWorkflow } from './steps/phase.ts';
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

/** Wakes what waits for the request, so that it reads it now. */
export async function wakeRequest(services: ClusterRequestServices, ref: RequestRef): Promise<void> {
  await services.workflows.signal(workflowKey(ref, 'provision-cluster'), lookSignal);
  await services.workflows.signal(workflowKey(ref, 'delete-cluster'), lookSignal);
}
