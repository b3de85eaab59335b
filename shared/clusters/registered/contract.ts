/**
 * Clusters that requests have made, and that this deployment serves from then on. A record in the state port says who a cluster is and how
 * it is reached; hosts read the records at run time and serve the clusters as if they were configured.
 *
 * - The record is bound to the request and to the uid of the cluster's namespace kube-system: another cluster under the same name is
 *   refused, and so is another request.
 * - It holds no credentials. `access` says where they are: a host fetches them when it connects.
 * - State may be lost: a request that is ready registers its cluster again at its next look.
 */
import type { Result } from '../../base/result.ts';

/** How a host gets credentials for a cluster. Plain data, so it can be kept. */
export type RegisteredAccess =
  /** The kubeconfig in a Secret of the management cluster. */
  | { kind: 'secret'; cluster: string; namespace: string; name: string; key: string }
  /** A token of Microsoft Entra for our own identity; for clusters without local accounts. */
  | { kind: 'aks'; id: string };

export type RegisteredCluster = {
  /** Under this name the deployment serves it: in the configuration it would be the key below `clusters`. */
  name: string;
  /** Of its namespace kube-system. */
  uid: string;
  /** URL of its API server. */
  server: string;
  /** PEM of the authorities that the server is checked with; absent: those of the system. */
  certificateAuthority?: string;
  access: RegisteredAccess;
  /** The request that has made it. */
  request: { store: string; namespace: string; name: string; uid: string };
  /** Where its agent pools are made; absent for a cluster that is not in Azure. */
  place?: { id: string; location: string };
  /** Names of the configured providers that serve its claims; absent: those that can. */
  providers?: string[];
};

/** What whoever makes clusters needs of it. */
export interface ClusterRegister {
  /**
   * Makes sure that the cluster is registered; a record that is there already is brought up to date. `conflict`: the name belongs to a
   * configured cluster, to another request, or to a cluster with another uid.
   */
  registerCluster(record: RegisteredCluster, signal?: AbortSignal): Promise<Result<void>>;
  /** Makes sure that it is not. Only the request that has registered it may take it away; what is not there is done. */
  unregisterCluster(name: string, request: { uid: string }, signal?: AbortSignal): Promise<Result<void>>;
  list(signal?: AbortSignal): Promise<Result<readonly RegisteredCluster[]>>;
}
