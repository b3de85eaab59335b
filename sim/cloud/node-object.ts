/** The Node object of a simulated machine, as its kubelet would write it. */

import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import type { Taint } from '../../shared/nodes/claims/spec/types.ts';
import { labels as labelKeys, taintKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import { allocatableOf, type CatalogType, capacityOf, gpuResource } from './catalog.ts';
import { type InstanceRecord, machineLabels, providerIDOf } from './instance.ts';

export const notReadyTaint: Taint = { key: taintKeys.notReady, effect: 'NoSchedule' };

/** What a machine knows about itself, and what no cluster could tell it. */
export interface MachineIdentity {
  labels: Record<string, string>;
  /** Undefined where neither the kubelet is told one nor a cloud controller writes it. */
  providerID: string | undefined;
}

export const simIdentity = (record: InstanceRecord, type: CatalogType): MachineIdentity => ({
  labels: machineLabels(record, type),
  providerID: providerIDOf(record),
});

export function nodeObject(
  record: InstanceRecord,
  type: CatalogType,
  at: number,
  state: { ready: boolean; gpus: boolean; taint: boolean },
  identity: MachineIdentity,
): Json {
  const taints = state.ready || !state.taint ? record.request.taints : [...record.request.taints, notReadyTaint];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: record.id,
      labels: { ...record.request.labels, ...identity.labels, [labelKeys.hostname]: record.id },
    },
    spec: {
      ...defined({ providerID: identity.providerID }),
      ...(taints.length === 0 ? {} : { taints: taints.map(taintToJson) }),
    },
    status: {
      ...resources(type, state.gpus),
      conditions: [readyCondition(state.ready ? 'True' : 'False', at)],
      addresses: [{ type: 'Hostname', address: record.id }],
      nodeInfo: {
        architecture: type.arch,
        operatingSystem: 'linux',
        osImage: record.request.image ?? 'sim-image-1',
        // Never newer than the API server: a real one would not allow it.
        kubeletVersion: 'v1.32.0-sim',
        containerRuntimeVersion: 'sim://1.0.0',
        kernelVersion: '6.12.0-sim',
        kubeProxyVersion: '',
        machineID: record.id,
        systemUUID: record.id,
        bootID: record.id,
      },
    },
  };
}

/** `Unknown` is what the node controller writes when a kubelet has fallen silent. */
export function readyCondition(status: 'True' | 'False' | 'Unknown', at: number): { [key: string]: Json } {
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const [reason, message] = {
    True: ['KubeletReady', 'kubelet is posting ready status'],
    False: ['KubeletNotReady', 'the container runtime network is not ready'],
    Unknown: ['NodeStatusUnknown', 'the kubelet stopped posting its status'],
  }[status] as [string, string];
  return { type: 'Ready', status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time };
}

export function resources(type: CatalogType, gpus: boolean): { [key: string]: Json } {
  const shown = (all: Record<string, string>) =>
    gpus ? all : Object.fromEntries(Object.entries(all).filter(([name]) => name !== gpuResource));
  return { capacity: shown(capacityOf(type)), allocatable: shown(allocatableOf(type)) };
}

export const taintToJson = (taint: Taint): Json => ({
  key: taint.key,
  effect: taint.effect,
  ...defined({ value: taint.value, timeAdded: taint.timeAdded }),
});
