/** The provider `arc` at one cluster: what is loaded when something is asked of Azure. */
import type { AzureConnection } from '../../platforms/azure/connection.ts';
import type { AzureOptions } from '../agent-pools/options.ts';
import type { ClusterCoordinates } from '../agent-pools/pools/lazy-provider.ts';
import { createPoolProvider } from '../agent-pools/pools/provider.ts';
import type { ProviderContext } from '../context.ts';
import { connectedClusterUri, createArcAgentPools } from './client/agent-pools.ts';
import { customLocationCatalog } from './custom-location.ts';
import { arcKind } from './kind.ts';

interface Parts {
  place: ClusterCoordinates;
  connection: AzureConnection<AzureOptions>;
  context: ProviderContext;
}

export function openArcPools({ place, connection, context }: Parts) {
  const { options } = connection;
  const { customLocation } = options;
  const cluster = customLocation === undefined ? place : { ...place, customLocation };
  const pools = createArcAgentPools(connection, cluster);
  const catalog = customLocationCatalog(connection, cluster, context);
  const sizes = (signal: AbortSignal) => catalog.instanceTypes({ name: 'check', spec: {} }, signal);
  return createPoolProvider({
    kind: arcKind(place),
    pools,
    catalog,
    context,
    options,
    check: async (signal) => {
      const { checkAzure } = await import('../agent-pools/check.ts');
      return checkAzure({ kind: 'arc', connection, cluster: `/${connectedClusterUri(cluster)}`, pools, sizes }, signal);
    },
  });
}
