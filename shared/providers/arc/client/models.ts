/** Microsoft.HybridContainerService 2024-01-01, as its REST API has it: what we use of it, under its own names. */

export const apiVersion = '2024-01-01';

export interface ExtendedLocation {
  type?: 'CustomLocation';
  /** The ARM id of the custom location. */
  name?: string;
}

export interface AgentPoolProperties {
  count?: number;
  vmSize?: string;
  osType?: 'Linux' | 'Windows';
  osSKU?: 'CBLMariner' | 'Windows2019' | 'Windows2022';
  nodeLabels?: Record<string, string>;
  nodeTaints?: string[];
  enableAutoScaling?: boolean;
  minCount?: number;
  maxCount?: number;
  maxPods?: number;
  readonly kubernetesVersion?: string;
  /** `Succeeded`, `Failed`, `Canceled`, or some state on the way. */
  readonly provisioningState?: string;
  readonly status?: AgentPoolProvisioningStatusStatus;
}

export interface AgentPoolProvisioningStatusStatus {
  readonly currentState?: string;
  readonly errorMessage?: string;
  readonly readyReplicas?: { count?: number; vmSize?: string; kubernetesVersion?: string }[];
}

export interface AgentPool {
  readonly id?: string;
  readonly name?: string;
  readonly type?: string;
  properties?: AgentPoolProperties;
  tags?: Record<string, string>;
  extendedLocation?: ExtendedLocation;
}

export interface AgentPoolListResult {
  value?: AgentPool[];
  nextLink?: string;
}

export interface VmSkuCapabilities {
  /** `vCpu`, `MemoryMb`, `DiskSizeGb`, `GpuCount`, `GpuNameType`. */
  readonly name?: string;
  readonly value?: string;
}

export interface VmSkuProperties {
  readonly resourceType?: string;
  readonly name?: string;
  readonly tier?: string;
  readonly size?: string;
  readonly capabilities?: VmSkuCapabilities[];
}

export interface VmSkuProfile {
  readonly id?: string;
  extendedLocation?: ExtendedLocation;
  properties?: { readonly provisioningState?: string; readonly values?: VmSkuProperties[] };
}

/** How the operation goes, and what it brought once it is done. */
export interface ListCredentialResponse {
  readonly status?: string;
  readonly error?: { code?: string; message?: string };
  readonly properties?: { readonly kubeconfigs?: { readonly name?: string; readonly value?: string }[] };
}
