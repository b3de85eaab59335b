/** How a managed cluster is reached. */

import type { Json } from '../../../base/json.ts';
import { failed, ok } from '../../../base/result.ts';
import { failureOf } from '../../../platforms/azure/errors.ts';
import {
  type CloudClusterContext,
  type FetchKubeconfig,
  kubeconfigIn,
  openCloudCluster,
} from '../../agent-pools/cluster-access.ts';

export const openCluster = (options: Json, context: CloudClusterContext) =>
  openCloudCluster(options, context, userKubeconfig);

const userKubeconfig: FetchKubeconfig = async (connection, options, signal) => {
  const { subscription, resourceGroup, clusterName } = options;
  const answer = await connection.exchange(false, async ({ endpoint, pipeline, httpClient }) => {
    const { createContainerService } = await import('./sdk.ts');
    const { listClusterUserCredentials } = await import('@azure/arm-containerservice/api/managedClusters');
    // The pipeline signs; the client only insists on being given somebody who could.
    const nobody = { getToken: async () => null };
    const context = createContainerService(nobody, subscription, { endpoint, pipeline, httpClient });
    return listClusterUserCredentials(context, resourceGroup, clusterName, { format: 'exec', abortSignal: signal });
  });
  if (!answer.ok) return answer;
  const what = `the kubeconfig of cluster ${clusterName}`;
  if (answer.value.status !== 200) {
    const action = 'Microsoft.ContainerService/managedClusters/listClusterUserCredential/action';
    return { ok: false, error: failureOf(answer.value, { write: false, what, action }, connection.clock) };
  }
  const text = kubeconfigIn(answer.value.body);
  return text === undefined ? failed('unavailable', `${what}: the response of ARM contains none`) : ok(text);
};
