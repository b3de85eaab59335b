/** The status of a Provider, from what a round has found. */
import type { Condition } from '../../base/kubernetes/object.ts';
import type { GetCapabilitiesResponse } from '../../drivers/protocol/messages.ts';
import { setCondition, toWireTime } from '../../kube/conditions.ts';
import type { ProviderStatus } from '../api/provider.ts';
import {
  type Change,
  change,
  healthCondition,
  isAboutTls,
  probeConditions,
  readyCondition,
  runtimeCondition,
  statusOf,
  tlsCondition,
} from './conditions.ts';
import { endpointOf, type ProviderObject } from './object.ts';
import { isRunning, type Round } from './round.ts';

export function nextStatus(provider: ProviderObject, round: Round, now: number): ProviderStatus {
  const before = provider.status ?? {};
  const { problem, runtime, probed, machines } = round;
  let conditions: readonly Condition[] = before.conditions ?? [];
  const set = (one: Change): void => {
    conditions = setCondition(conditions, one, { now, generation: provider.metadata.generation });
  };
  if (round.tls) set(tlsCondition(round.tls.how));
  if (isAboutTls(problem)) set(change('TLSConfigured', 'False', problem.code, problem.message));
  set(runtimeCondition(round));
  const running = runtime !== undefined && isRunning(runtime.deployment);
  if (probed) for (const one of probeConditions(probed)) set(one);
  else if (!running) {
    const why = 'no pod of the provider is ready';
    set(change('Connected', 'False', 'RuntimeNotReady', why));
  }
  set(healthCondition(provider, conditions, now));
  set(readyCondition(round, conditions));
  const phase = phaseOf(round, running);
  return {
    ...before,
    conditions: [...conditions],
    observedGeneration: provider.metadata.generation ?? 0,
    healthy: statusOf(conditions, 'Healthy') === 'True',
    ...(probed ? { lastHealthCheck: toWireTime(now) } : {}),
    ...(machines === undefined ? {} : { connectedVMs: machines }),
    ...(probed?.capabilities ? capabilityFields(probed.capabilities) : {}),
    runtime: {
      ...before.runtime,
      mode: 'Remote',
      phase,
      message: runtime?.trouble?.message ?? problem?.message ?? '',
      ...(runtime === undefined
        ? {}
        : {
            endpoint: endpointOf(provider, runtime.name),
            serviceRef: { name: runtime.name },
            readyReplicas: runtime.deployment.status?.readyReplicas ?? 0,
            availableReplicas: runtime.deployment.status?.availableReplicas ?? 0,
          }),
    },
  };
}

function phaseOf(
  { problem, runtime, removing }: Round,
  running: boolean,
): NonNullable<ProviderStatus['runtime']>['phase'] {
  if (removing) return 'Stopping';
  if (running) return 'Running';
  if (problem || runtime?.trouble) return 'Failed';
  return runtime === undefined ? 'Pending' : 'Starting';
}

function capabilityFields(
  said: GetCapabilitiesResponse,
): Pick<ProviderStatus, 'capabilities' | 'reportedCapabilities'> {
  const { supportsSnapshots, supportsLinkedClones, supportsImageImport, supportsDiskExport } = said;
  return {
    reportedCapabilities: reportedOf(said),
    capabilities: [
      'VirtualMachines',
      'Cloning',
      'DiskManagement',
      ...(supportsSnapshots ? (['Snapshots'] as const) : []),
      ...(supportsLinkedClones || supportsImageImport ? (['Templates'] as const) : []),
      ...(supportsDiskExport ? (['Backup'] as const) : []),
    ],
  };
}

/** Field by field: a newer server may send more, and the API server would refuse what the kind does not have. */
const reportedOf = (said: GetCapabilitiesResponse): ProviderStatus['reportedCapabilities'] => ({
  supportsReconfigureOnline: said.supportsReconfigureOnline,
  supportsDiskExpansionOnline: said.supportsDiskExpansionOnline,
  supportsSnapshots: said.supportsSnapshots,
  supportsMemorySnapshots: said.supportsMemorySnapshots,
  supportsLinkedClones: said.supportsLinkedClones,
  supportsImageImport: said.supportsImageImport,
  supportsDiskExport: said.supportsDiskExport,
  supportsDiskImport: said.supportsDiskImport,
  supportsExportCompression: said.supportsExportCompression,
  supportedDiskTypes: said.supportedDiskTypes,
  supportedNetworkTypes: said.supportedNetworkTypes,
  supportedExportFormats: said.supportedExportFormats,
  supportedImportFormats: said.supportedImportFormats,
  supportedExportBackends: said.supportedExportBackends,
  supportedImportBackends: said.supportedImportBackends,
  supportedTransferModes: said.supportedTransferModes,
});
