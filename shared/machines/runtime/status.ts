/** The status of a Provider, from what a round has found. */
import type { Condition, ConditionStatus } from '../../base/kubernetes/object.ts';
import type { GetCapabilitiesResponse } from '../../drivers/protocol/messages.ts';
import { setCondition, toWireTime } from '../../kube/conditions.ts';
import type { KubeObject } from '../../kube/contract.ts';
import type { ProviderStatus } from '../api/provider.ts';
import { endpointOf, type ProviderObject } from './object.ts';
import type { Probed } from './probe.ts';
import type { ProviderProblem } from './problems.ts';

export interface DeploymentObject extends KubeObject {
  spec?: {
    replicas?: number;
    selector?: { matchLabels?: Record<string, string> };
    template?: { spec?: { volumes?: { name: string; secret?: { secretName?: string } }[] } };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
  };
}

export interface Round {
  /** Something in the way, which ended the round there. */
  problem?: ProviderProblem;
  tls?: { how: 'issued' | 'given' | 'plain' };
  runtime?: { name: string; deployment: DeploymentObject; trouble?: ProviderProblem };
  /** Absent: it was not asked in this round, and what was known of it holds. */
  probed?: Probed;
  machines?: number;
  removing?: { waitsFor: number };
}

type Change = { type: string; status: ConditionStatus; reason: string; message: string };

const change = (type: string, status: ConditionStatus, reason: string, message: string): Change => ({
  type,
  status,
  reason,
  message,
});

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

export const isRunning = ({ status }: DeploymentObject): boolean => (status?.readyReplicas ?? 0) > 0;

/** Every pod is of the newest template, and ready. */
export function isRolledOut({ metadata, spec, status = {} }: DeploymentObject): boolean {
  const wanted = spec?.replicas ?? 1;
  const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return seen && (status.updatedReplicas ?? 0) >= wanted && (status.readyReplicas ?? 0) >= wanted;
}

const tlsCodes: readonly string[] = ['ProviderTlsSecretUnusable'];
const isAboutTls = (problem: ProviderProblem | undefined): problem is ProviderProblem =>
  problem !== undefined && tlsCodes.includes(problem.code);

function tlsCondition(how: 'issued' | 'given' | 'plain'): Change {
  if (how === 'plain') {
    return change(
      'TLSConfigured',
      'False',
      'ExplicitlyDisabled',
      'calls are plaintext: everyone who can reach the Service may call, and read what is sent',
    );
  }
  return how === 'given'
    ? change('TLSConfigured', 'True', 'Enabled', 'the Secret of spec.runtime.service.tls.secretRef is used')
    : change('TLSConfigured', 'True', 'CertificatesIssued', 'certificates are issued, and renewed before they expire');
}

function runtimeCondition({ problem, runtime, removing }: Round): Change {
  if (removing) {
    return change('RuntimeReady', 'Unknown', 'Removing', 'the Provider is being deleted');
  }
  if (runtime === undefined) {
    const { code = 'NotApplied', message = 'nothing has been made yet' } = problem ?? {};
    return change('RuntimeReady', 'False', code, message);
  }
  const { deployment, trouble } = runtime;
  if (isRolledOut(deployment)) return change('RuntimeReady', 'True', 'DeploymentReady', 'all pods are ready');
  if (trouble) return change('RuntimeReady', 'False', trouble.code, trouble.message);
  const ready = `${deployment.status?.readyReplicas ?? 0} of ${deployment.spec?.replicas ?? 1} pods are ready`;
  return change('RuntimeReady', isRunning(deployment) ? 'True' : 'False', 'DeploymentProgressing', ready);
}

function probeConditions({ problem, capabilities }: Probed): Change[] {
  const reported =
    capabilities === undefined
      ? problem === undefined
        ? [change('CapabilitiesReported', 'False', 'NotSupported', 'the provider does not say what it can do')]
        : []
      : [change('CapabilitiesReported', 'True', 'Reported', 'the provider says what it can do')];
  const connected =
    problem === undefined
      ? change('Connected', 'True', 'Connected', 'the provider and its hypervisor answer')
      : change('Connected', 'False', problem.code, problem.message);
  return [connected, ...reported];
}

/** The thresholds of `healthCheck` as time: so many checks in a row, an interval apart. Nothing has to be counted, so nothing is lost. */
function healthCondition(provider: ProviderObject, conditions: readonly Condition[], now: number): Change {
  const { failureThreshold = 3, successThreshold = 1 } = provider.spec.healthCheck ?? {};
  const connected = conditions.find(({ type }) => type === 'Connected');
  const before = conditions.find(({ type }) => type === 'Healthy');
  if (connected === undefined) return change('Healthy', 'Unknown', 'NotChecked', 'it has not been asked yet');
  const lasted = now - Date.parse(connected.lastTransitionTime);
  const is = connected.status === 'True';
  const needed = ((is ? successThreshold : failureThreshold) - 1) * healthIntervalMs(provider);
  const was = before?.status === 'True';
  // What was never healthy is not so because of failures that are still few.
  if (lasted >= needed || (!is && !was)) {
    return change('Healthy', is ? 'True' : 'False', connected.reason, connected.message);
  }
  return change('Healthy', was ? 'True' : 'False', before?.reason ?? 'NotChecked', before?.message ?? '');
}

export function healthIntervalMs({ spec }: ProviderObject): number {
  return durationMs(spec.healthCheck?.interval, 30_000);
}

/** As Go writes durations; what cannot be read is as usual. */
export function durationMs(text: string | undefined, usual: number): number {
  const parts = [...(text ?? '').matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return usual;
  const unit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return parts.reduce((sum, [, number, name]) => sum + Number(number) * (unit[name ?? ''] ?? 0), 0);
}

function readyCondition({ problem, removing }: Round, conditions: readonly Condition[]): Change {
  if (removing) {
    const { waitsFor } = removing;
    return waitsFor === 0
      ? change('Ready', 'False', 'Removing', 'the Provider is being deleted')
      : change('Ready', 'False', 'ProviderInUse', `${waitsFor} VirtualMachines refer to it; delete them first`);
  }
  if (problem) return change('Ready', 'False', problem.code, problem.message);
  for (const type of ['RuntimeReady', 'Healthy']) {
    const one = conditions.find((condition) => condition.type === type);
    if (one?.status !== 'True') {
      return change('Ready', 'False', one?.reason ?? 'NotChecked', one?.message ?? `${type} is not known yet`);
    }
  }
  return change('Ready', 'True', 'Ready', 'machines can be made');
}

const statusOf = (conditions: readonly Condition[], type: string): string | undefined =>
  conditions.find((one) => one.type === type)?.status;

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
