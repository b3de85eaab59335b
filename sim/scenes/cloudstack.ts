/** The stand-in for CloudStack together with a simulated cluster that its VMs join. */
import type { Json } from '../../shared/base/json.ts';
import { type CloudStack, type CloudStackOptions, startCloudStack } from '../cloudstack/start.ts';
import type { ClusterApi } from '../cluster/server.ts';
import { startStandInWorld } from './stand-in-world.ts';

export interface CloudStackWorld {
  readonly cluster: ClusterApi;
  readonly cloudstack: CloudStack;
  close(): Promise<void>;
}

export interface CloudStackWorldOptions {
  directory: string;
  clusterPort?: number;
  cloudPort?: number;
  cloudstack?: Omit<CloudStackOptions, 'port' | 'kubelet'>;
}

export async function startCloudStackWorld(options: CloudStackWorldOptions): Promise<CloudStackWorld> {
  const { cluster, cloud, close } = await startStandInWorld(options, ({ url }) =>
    startCloudStack({ ...options.cloudstack, port: options.cloudPort ?? 0, kubelet: { clusterUrl: url } }),
  );
  return { cluster, cloudstack: cloud, close };
}

/** Whose keys the host has: those of the plain account, or those of the administrator, who may choose ids. */
export type Role = 'user' | 'admin';

/** What an operator might write down: by size, and less for what may be taken back. */
const priceTable = {
  perVcpu: 0.02,
  perGib: 0.004,
  perGpu: 0.5,
  offerings: {
    'Medium Spot Instance': 0.031,
    'Large Spot Instance': 0.062,
    'Extra Large Spot Instance': 0.124,
    'GPU T4 Spot Instance': 0.28,
  },
};

/** What has to stand in the configuration of the provider to meet the stand-in. */
export const cloudStackProviderOptions = ({ api }: CloudStack, role: Role): { [key: string]: Json } => ({
  apiUrl: api,
  priceTable,
  // An administrator makes machines for the account that has the networks.
  ...(role === 'admin' ? { customIds: true, domain: 'ROOT/team', account: 'kubernetes' } : {}),
});

/** Keys that only the stand-in knows, in place of any real ones that the process may have. */
export const cloudStackEnvironment = (cloudstack: CloudStack, role: Role): Record<string, string> => ({
  CLOUDSTACK_API_KEY: cloudstack[role].apiKey,
  CLOUDSTACK_SECRET_KEY: cloudstack[role].secretKey,
});
