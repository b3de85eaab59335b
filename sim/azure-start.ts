/** The stand-in for Azure together with a simulated cluster that the machines of its pools join. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../shared/json.ts';
import { type Azure, type AzureOptions, startAzure } from './azure/start.ts';
import { type ClusterApi, startClusterApi } from './cluster/server.ts';

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

/** The cluster is kept in the directory; the stand-in forgets everything when it ends. */
export async function startAzureWorld(options: AzureWorldOptions): Promise<AzureWorld> {
  const { directory, clusterPort = 0, cloudPort = 0 } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const cluster = await startClusterApi({ file: join(directory, 'cluster.db'), port: clusterPort });
  try {
    const azure = await startAzure({ ...options.azure, port: cloudPort, kubelet: { clusterUrl: cluster.url } });
    const close = async (): Promise<void> => {
      await azure.close();
      await cluster.close();
    };
    return { cluster, azure, close };
  } catch (error) {
    // Half a world would keep the process alive that has just said why it can't start.
    await cluster.close();
    throw error;
  }
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
        ...(customLocation === undefined ? {} : { customLocation }),
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
