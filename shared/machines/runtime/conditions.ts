/** The conditions of a Provider, from what a round has found. */
import type { Condition, ConditionStatus } from '../../base/kubernetes/object.ts';
import { healthIntervalSeconds, type ProviderObject } from './object.ts';
import type { Probed } from './probe.ts';
import type { ProviderProblem } from './problems.ts';
import { isRolledOut, isRunning, type Round } from './round.ts';

export type Change = { type: string; status: ConditionStatus; reason: string; message: string };

export const change = (type: string, status: ConditionStatus, reason: string, message: string): Change => ({
  type,
  status,
  reason,
  message,
});

const tlsCodes: readonly string[] = ['ProviderTlsSecretUnusable'];
export const isAboutTls = (problem: ProviderProblem | undefined): problem is ProviderProblem =>
  problem !== undefined && tlsCodes.includes(problem.code);

export function tlsCondition(how: 'issued' | 'given' | 'plain'): Change {
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

export function runtimeCondition({ problem, runtime, removing }: Round): Change {
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

export function probeConditions({ problem, capabilities }: Probed): Change[] {
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
export function healthCondition(provider: ProviderObject, conditions: readonly Condition[], now: number): Change {
  const { failureThreshold = 3, successThreshold = 1 } = provider.spec.healthCheck ?? {};
  const connected = conditions.find(({ type }) => type === 'Connected');
  const before = conditions.find(({ type }) => type === 'Healthy');
  if (connected === undefined) return change('Healthy', 'Unknown', 'NotChecked', 'it has not been asked yet');
  const lasted = now - Date.parse(connected.lastTransitionTime);
  const is = connected.status === 'True';
  const needed = ((is ? successThreshold : failureThreshold) - 1) * healthIntervalSeconds(provider) * 1000;
  const was = before?.status === 'True';
  // What was never healthy is not so because of failures that are still few.
  if (lasted >= needed || (!is && !was)) {
    return change('Healthy', is ? 'True' : 'False', connected.reason, connected.message);
  }
  return change('Healthy', was ? 'True' : 'False', before?.reason ?? 'NotChecked', before?.message ?? '');
}

export function readyCondition({ problem, removing }: Round, conditions: readonly Condition[]): Change {
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

export const statusOf = (conditions: readonly Condition[], type: string): string | undefined =>
  conditions.find((one) => one.type === type)?.status;
