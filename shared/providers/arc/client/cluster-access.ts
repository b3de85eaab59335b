/** How a cluster of Azure Local is reached, from where its control plane can be. */

import { isObject, type Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { pause } from '../../../base/timers.ts';
import type { ArmAnswer } from '../../../platforms/azure/arm-error.ts';
import type { AzureConnection } from '../../../platforms/azure/connection.ts';
import { failureOf } from '../../../platforms/azure/errors.ts';
import { getFromArm } from '../../../platforms/azure/fetch-json.ts';
import { askOperation, operationUrlProblem } from '../../../platforms/azure/operation.ts';
import { retryAfterOf } from '../../../platforms/azure/retry-after.ts';
import {
  type CloudClusterContext,
  type FetchKubeconfig,
  kubeconfigIn,
  openCloudCluster,
} from '../../agent-pools/cluster-access.ts';
import { connectedClusterUri } from './agent-pools.ts';

export const openCluster = (options: Json, context: CloudClusterContext) =>
  openCloudCluster(options, context, userKubeconfig);

/** It takes seconds; whoever called has gone before this is over. */
const mostLooks = 30;
const usualPauseSeconds = 2;

const userKubeconfig: FetchKubeconfig = async (connection, options, signal) => {
  const what = `the kubeconfig of connected cluster ${options.clusterName}`;
  const action = 'Microsoft.HybridContainerService/provisionedClusterInstances/listUserKubeconfig/action';
  const begun = await connection.exchange(false, async (parts) => {
    const { HybridContainerServiceClient } = await import('./hybrid-container-service.ts');
    const { provisionedClusterInstances } = new HybridContainerServiceClient(parts);
    return provisionedClusterInstances.beginListUserKubeconfig(connectedClusterUri(options), { abortSignal: signal });
  });
  if (!begun.ok) return begun;
  if (begun.value.status < 200 || begun.value.status > 299) {
    return { ok: false, error: failureOf(begun.value, { write: false, what, action }, connection.clock) };
  }
  const text = kubeconfigOf(begun.value) ?? (await waitFor(begun.value, connection, what, signal));
  if (typeof text === 'string') return ok(text);
  return text.ok ? failed('unavailable', `${what}: the response of ARM contains none`) : text;
};

async function waitFor(
  begun: ArmAnswer,
  connection: AzureConnection,
  what: string,
  signal: AbortSignal,
): Promise<string | Result<void>> {
  const { armEndpoint } = connection.options.cloud;
  const status = begun.headers['azure-asyncoperation'];
  const result = begun.headers.location;
  const url = status ?? result;
  if (url === undefined || operationUrlProblem(url, armEndpoint) !== undefined) return ok(undefined);
  const by = status === undefined ? 'location' : 'azure-async-operation';
  let seconds = retryAfterOf(begun.headers, connection.clock) ?? usualPauseSeconds;
  for (let looks = 0; looks < mostLooks && !signal.aborted; looks += 1) {
    await pause(Math.min(seconds, 10) * 1000, signal);
    let seen: ArmAnswer | undefined;
    const state = await askOperation({ url, by }, armEndpoint, connection.clock, async (link) => {
      const answer = await getFromArm(connection, link, signal);
      if (answer.ok) seen = answer.value;
      return answer;
    });
    if (!state.ok) return state;
    if (state.value.state === 'failed') return { ok: false, error: state.value.failure };
    if (state.value.state === 'succeeded') {
      const there = seen === undefined ? undefined : kubeconfigOf(seen);
      if (there !== undefined) return there;
      if (result === undefined || operationUrlProblem(result, armEndpoint) !== undefined) return ok(undefined);
      const fetched = await getFromArm(connection, result, signal);
      return fetched.ok ? (kubeconfigOf(fetched.value) ?? ok(undefined)) : fetched;
    }
    seconds = state.value.retryAfterSeconds ?? usualPauseSeconds;
  }
  return failed('unavailable', `${what}: ARM did not provide it in time`);
}

/** In the body itself, or in the `properties` of an operation. */
function kubeconfigOf({ body }: ArmAnswer): string | undefined {
  const properties = isObject(body) ? body.properties : undefined;
  return kubeconfigIn(properties) ?? kubeconfigIn(body);
}
