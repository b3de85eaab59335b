/** The stand-in for Azure together with a simulated cluster that the machines of its pools join. */
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { type Azure, type AzureOptions, startAzure } from '../azure/start.ts';
import type { ClusterApi } from '../cluster/server.ts';
import { startStandInWorld } from './stand-in-world.ts';

export interface AzureWorld {
  readonly cluster: ClusterApi;
  readonly azure: Azure;
  close(): Promise<void>;
}

export interface AzureWorldOptions {
  directory: string;
  clusterPort?: number;
  cloudPort?: number;
  azure?: Omit<AzureOptions, 'port' | 'kubelet'>;
}

export async function startAzureWorld(options: AzureWorldOptions): Promise<AzureWorld> {
  const { cluster, cloud, close } = await startStandInWorld(options, ({ url }) =>
    startAzure({ ...options.azure, port: options.cloudPort ?? 0, kubelet: { clusterUrl: url } }),
  );
  return { cluster, azure: cloud, close };
}

/** The variable that holds the secret of the stand-in's identity; one of its own, so that a real one is never used. */
export const standInSecretVariable = 'AZURE_STAND_IN_SECRET';

/** What has to stand in the configuration of a provider to meet the stand-in, by the kind of cluster. */
export function providerOptions(azure: Azure): { [kind: string]: { [key: string]: Json } } {
  return Object.fromEntries(
    azure.clusters.map(({ kind, name, subscription, resourceGroup, location, customLocation }) => [
      kind,
      {
        subscription,
        resourceGroup,
        clusterName: name,
        location,
        ...defined({ customLocation }),
        tenant: azure.tenant,
        credential: { type: 'client-secret', clientId: azure.clientId, secretVariable: standInSecretVariable },
        cloud: {
          authorityHost: azure.authority,
          armEndpoint: azure.url,
          pricesUrl: `${azure.url}/api/retail/prices`,
        },
        certificateAuthority: azure.certificate,
      },
    ]),
  );
}
