/**
 * Agent pools of a connected cluster (Azure Local). The API knows no conditional writes, so whoever writes looks first, and
 * whoever deletes has looked a moment ago: between the two, somebody else may put a pool of that name there.
 */
import { defined } from '../../../base/defined.ts';
import { failed, type Result } from '../../../base/result.ts';
import type { ArmAnswer } from '../../../platforms/azure/arm-error.ts';
import type { AzureConnection } from '../../../platforms/azure/connection.ts';
import type { AzureRequest } from '../../../platforms/azure/errors.ts';
import { getFromArm } from '../../../platforms/azure/fetch-json.ts';
import { askOperation, operationUrlProblem } from '../../../platforms/azure/operation.ts';
import type { AgentPools } from '../../agent-pools/agent-pools.ts';
import { begunOf, pageOf, poolOrNone } from '../../agent-pools/pool-answers.ts';
import { agentPoolBody } from './body.ts';
import type { HybridContainerServiceClient } from './hybrid-container-service.ts';

export interface ConnectedClusterRef {
  subscription: string;
  resourceGroup: string;
  clusterName: string;
  /** The ARM id of the custom location, where it is known. */
  customLocation?: string | undefined;
}

const rights = 'Microsoft.HybridContainerService/provisionedClusterInstances/agentPools';

/** As the REST API has it: without a slash before it. */
export const connectedClusterUri = ({ subscription, resourceGroup, clusterName }: ConnectedClusterRef): string =>
  `subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.Kubernetes/connectedClusters/${clusterName}`;

export function createArcAgentPools(connection: AzureConnection, cluster: ConnectedClusterRef): AgentPools {
  const { options, clock } = connection;
  const { armEndpoint } = options.cloud;
  const uri = connectedClusterUri(cluster);

  const exchange = (
    write: boolean,
    call: (client: HybridContainerServiceClient) => Promise<unknown>,
  ): Promise<Result<ArmAnswer>> =>
    connection.exchange(write, async (parts) => {
      const { HybridContainerServiceClient } = await import('./hybrid-container-service.ts');
      return call(new HybridContainerServiceClient(parts));
    });
  const asked = (verb: string, name: string | undefined, write: boolean, right: string): AzureRequest => ({
    write,
    what: `${verb} agent pool${name === undefined ? 's' : ` ${name}`} of connected cluster ${cluster.clusterName}`,
    action: `${rights}/${right}`,
    ...(name === undefined ? { list: true } : { poolName: name }),
  });

  const list: AgentPools['list'] = async (page, signal) => {
    const problem = page === undefined ? undefined : operationUrlProblem(page, armEndpoint);
    if (problem !== undefined)
      return failed('invalid', `the next page of agent pools can't be read: its URL ${problem}`);
    const more = { abortSignal: signal, ...defined({ nextLink: page }) };
    const answer = await exchange(false, ({ agentPoolOperations }) =>
      agentPoolOperations.listByProvisionedCluster(uri, more),
    );
    return pageOf(answer, asked('list', undefined, false, 'read'), connection);
  };

  return {
    conditional: false,

    put: async (name, wish, _options, signal) => {
      const body = agentPoolBody(wish, cluster.customLocation);
      if (!body.ok) return body;
      const answer = await exchange(true, ({ agentPoolOperations }) =>
        agentPoolOperations.beginCreateOrUpdate(uri, name, body.value, { abortSignal: signal }),
      );
      return begunOf(answer, asked('create', name, true, 'write'), connection, 'create');
    },

    get: async (name, signal) => {
      const answer = await exchange(false, ({ agentPoolOperations }) =>
        agentPoolOperations.get(uri, name, { abortSignal: signal }),
      );
      const about = { ...asked('read', name, false, 'read'), poolName: name };
      return poolOrNone(answer, about, connection, (page) => list(page, signal));
    },

    list,

    delete: async (name, _options, signal) => {
      const answer = await exchange(true, ({ agentPoolOperations }) =>
        agentPoolOperations.beginDelete(uri, name, { abortSignal: signal }),
      );
      if (answer.ok && answer.value.status === 204) return failed('not-found', `there is no agent pool ${name}`);
      return begunOf(answer, asked('delete', name, true, 'delete'), connection, 'delete');
    },

    operation: (handle, signal) =>
      askOperation(handle, armEndpoint, clock, (url) => getFromArm(connection, url, signal)),

    close: () => {},
  };
}
