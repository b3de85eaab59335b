/** Agent pools of a managed cluster, by Microsoft's client. It is loaded with the first call, and only the part for pools. */
import { defined } from '../../../base/defined.ts';
import { failed, type Result } from '../../../base/result.ts';
import type { ArmAnswer } from '../../../platforms/azure/arm-error.ts';
import type { ArmClientParts, AzureConnection } from '../../../platforms/azure/connection.ts';
import type { AzureRequest } from '../../../platforms/azure/errors.ts';
import { getFromArm } from '../../../platforms/azure/fetch-json.ts';
import { askOperation, operationUrlProblem } from '../../../platforms/azure/operation.ts';
import type { AgentPools, PoolWish } from '../../agent-pools/agent-pools.ts';
import { begunOf, pageOf, poolOrNone } from '../../agent-pools/pool-answers.ts';
import { agentPoolBody } from './body.ts';

export interface ManagedClusterRef {
  subscription: string;
  resourceGroup: string;
  clusterName: string;
}

type Sdk = typeof import('./sdk.ts');
type Call = (sdk: Sdk, context: ReturnType<Sdk['createContainerService']>) => Promise<unknown>;

const rights = 'Microsoft.ContainerService/managedClusters/agentPools';

export function createAksAgentPools(connection: AzureConnection, cluster: ManagedClusterRef): AgentPools {
  const { options, clock } = connection;
  const { armEndpoint } = options.cloud;
  const { subscription, resourceGroup, clusterName } = cluster;

  const exchange = (write: boolean, call: Call): Promise<Result<ArmAnswer>> =>
    connection.exchange(write, async (parts) => {
      const sdk = await import('./sdk.ts');
      return call(sdk, contextOf(sdk, parts, subscription));
    });
  const asked = (verb: string, name: string | undefined, write: boolean, right: string): AzureRequest => ({
    write,
    what:
      name === undefined
        ? `${verb} agent pools of cluster ${clusterName}`
        : `${verb} agent pool ${name} of cluster ${clusterName}`,
    action: `${rights}/${right}`,
    ...(name === undefined ? { list: true } : { poolName: name }),
  });

  const list: AgentPools['list'] = async (page, signal) => {
    const problem = page === undefined ? undefined : operationUrlProblem(page, armEndpoint);
    if (problem !== undefined)
      return failed('invalid', `the next page of agent pools can't be read: its URL ${problem}`);
    const answer =
      page === undefined
        ? await exchange(false, (sdk, context) =>
            sdk.list(context, resourceGroup, clusterName, { abortSignal: signal }).byPage().next(),
          )
        : // The client drops the signal on later pages.
          await getFromArm(connection, page, signal);
    return pageOf(answer, asked('list', undefined, false, 'read'), connection);
  };

  return {
    conditional: true,

    put: async (name, wish: PoolWish, { ifAbsent }, signal) => {
      const body = agentPoolBody(wish);
      if (!body.ok) return body;
      const answer = await exchange(true, async (sdk, context) => {
        // The poller is a promise of the whole operation: whoever awaits it waits for minutes.
        const poller = sdk.createOrUpdate(context, resourceGroup, clusterName, name, body.value, {
          abortSignal: signal,
          ...(ifAbsent ? { ifNoneMatch: '*' } : {}),
        });
        await poller.submitted();
      });
      return begunOf(answer, { ...asked('create', name, true, 'write'), spot: wish.spot }, connection, 'create');
    },

    get: async (name, signal) => {
      const answer = await exchange(false, (sdk, context) =>
        sdk.get(context, resourceGroup, clusterName, name, { abortSignal: signal }),
      );
      const about = { ...asked('read', name, false, 'read'), poolName: name };
      return poolOrNone(answer, about, connection, (page) => list(page, signal));
    },

    list,

    delete: async (name, { etag }, signal) => {
      const answer = await exchange(true, async (sdk, context) => {
        const poller = sdk.$delete(context, resourceGroup, clusterName, name, {
          abortSignal: signal,
          ...defined({ ifMatch: etag }),
        });
        await poller.submitted();
      });
      // The client takes 204 for a success; there is nothing to wait for, and nothing that was there.
      if (answer.ok && answer.value.status === 204) return failed('not-found', `there is no agent pool ${name}`);
      return begunOf(answer, asked('delete', name, true, 'delete'), connection, 'delete');
    },

    operation: (handle, signal) =>
      askOperation(handle, armEndpoint, clock, (url) => getFromArm(connection, url, signal)),

    close: () => {},
  };
}

function contextOf(sdk: Sdk, { endpoint, pipeline, httpClient }: ArmClientParts, subscription: string) {
  // The pipeline signs; the client only insists on being given somebody who could.
  return sdk.createContainerService({ getToken: async () => null }, subscription, { endpoint, pipeline, httpClient });
}
