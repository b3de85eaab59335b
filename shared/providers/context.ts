/** What a provider is given to work with, besides its own options. */
import type { Result } from '../base/result.ts';
import type { Clock, Random } from '../base/runtime.ts';
import type { ConnectionReports } from '../drivers/grpc/connect.ts';
import type { ClusterSettingsSource } from '../kube/cluster-settings.ts';
import type { Log } from '../observe/log/log.ts';
import type { State } from '../state/contract.ts';
import type { CloudReports } from './cloud-reports.ts';

/** A Node as far as a provider needs it. */
export interface NodeSummary {
  name: string;
  providerID: string;
  labels: Record<string, string>;
  createdAt: number;
}

/** The nodes of the one cluster that the provider serves; some clouds tell an instance's providerID nowhere else. */
export interface NodeLookup {
  /** All nodes that a label selector names, such as `agentpool=a` or just `msft.microsoft/nodepool-name`. */
  list(labelSelector: string, signal: AbortSignal): Promise<Result<NodeSummary[]>>;
}

/** The Secrets of the one cluster that the provider serves: those that its manifest names, and no others. */
export interface SecretLookup {
  /** Its texts by their keys; `not-found` when it is not there. */
  read(
    secret: { namespace: string; name: string },
    signal: AbortSignal,
  ): Promise<Result<Readonly<Record<string, string>>>>;
}

export interface ProviderContext {
  /** The name of the cluster in the configuration. */
  cluster: string;
  clock: Clock;
  random: Random;
  log: Log;
  /** For caches; what is lost there costs time, never money. */
  state: State;
  nodes: NodeLookup;
  secrets: SecretLookup;
  /** What the cluster's own ConfigMap says. */
  settings: ClusterSettingsSource;
  /** Absent: nobody counts. */
  reports?: CloudReports;
  /** Of calls to provider servers. Absent: nobody counts. */
  calls?: ConnectionReports;
  /** For credentials and proxies. */
  env: Readonly<Record<string, string | undefined>>;
}
