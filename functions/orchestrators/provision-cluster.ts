/** From a request to a cluster that is ready, as a durable orchestration. */
import { provisionCluster } from '../../shared/clusters/workflow/provision.ts';
import type { WorkflowFunction } from '../declaration.ts';

export const provisionClusterOrchestrator = {
  name: 'provision-cluster',
  trigger: { type: 'workflow' },
  subject: 'ClusterRequest',
  workflow: provisionCluster,
} as const satisfies WorkflowFunction;
