/** The end of a request for a cluster, as a durable orchestration. */
import { deleteCluster } from '../../shared/clusters/workflow/delete.ts';
import type { WorkflowFunction } from '../declaration.ts';

export const deleteClusterOrchestrator = {
  name: 'delete-cluster',
  trigger: { type: 'workflow' },
  subject: 'ClusterRequest',
  workflow: deleteCluster,
} as const satisfies WorkflowFunction;
