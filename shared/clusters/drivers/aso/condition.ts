/**
 * What the operator says of an object: its condition Ready, with the rules that it takes to believe it. Pure.
 *
 * - It tells of an older spec unless its generation is the present one.
 * - `status` is filled only once a request to Azure has ended, so there is no progress to be read from it.
 * - Most failures of Azure are warnings, and stay: the code decides whether waiting can help, not the severity.
 */

import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Condition } from '../../../base/kubernetes/object.ts';
import type { KubeObject } from '../../../kube/contract.ts';
import { azureFault } from '../azure-codes.ts';
import type { Fault, LookResult, Outputs } from '../contract.ts';

export interface AsoCondition extends Condition {
  severity?: 'Info' | 'Warning' | 'Error';
}

/** An object of the operator, as it is stored. */
export interface AsoObject extends KubeObject {
  spec?: JsonObject;
  status?: JsonObject & { conditions?: AsoCondition[] };
}

export const reconcilePolicy = 'serviceoperator.azure.com/reconcile-policy';
const pollerToken = 'serviceoperator.azure.com/poller-resume-token';

export const policyOf = ({ metadata }: Pick<KubeObject, 'metadata'>): string =>
  metadata.annotations?.[reconcilePolicy] ?? 'manage';

/** A request to Azure is under way. */
export const isInFlight = ({ metadata }: AsoObject): boolean => metadata.annotations?.[pollerToken] !== undefined;

/** A request to Azure has ended well at least once, or what is there was read. */
export const isKnownInAzure = ({ status }: AsoObject): boolean => typeof status?.id === 'string' && status.id !== '';

/** Undefined where it is missing, or tells of an older spec. */
export function readyCondition(object: AsoObject): AsoCondition | undefined {
  const found = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (found === undefined) return undefined;
  const { generation } = object.metadata;
  return generation === undefined || found.observedGeneration === generation ? found : undefined;
}

export const conditionsOf = ({ status }: AsoObject): readonly AsoCondition[] =>
  Array.isArray(status?.conditions) ? (status.conditions as AsoCondition[]) : [];

/** Reasons that are no failure: what they wait for comes about by itself, or is there under `skip` only. */
const patient: Readonly<Record<string, string>> = {
  Reconciling: 'Azure works on it',
  Deleting: 'Azure deletes it',
  WaitingForOwner: 'what it belongs to is not ready',
  AzureResourceNotFound: 'the operator begins to create it',
};
/** Something that is named is missing. It may come yet. */
const missing = new Set(['ReferenceNotFound', 'SecretNotFound', 'ConfigMapNotFound']);

export function looked(object: AsoObject, outputs: Outputs): LookResult {
  if (object.metadata.deletionTimestamp !== undefined) {
    return { state: 'pending', waitingFor: 'an older object of this name is being deleted' };
  }
  const ready = readyCondition(object);
  if (ready === undefined) return { state: 'pending', waitingFor: 'Azure Service Operator has not looked at it yet' };
  if (ready.status === 'True') return { state: 'ready', outputs };
  const known = patient[ready.reason];
  if (known !== undefined) return { state: 'pending', waitingFor: known, outputs };
  const fault = faultOf(ready);
  if (fault.final) return { state: 'failed', fault, outputs };
  return { state: 'pending', waitingFor: `Azure to accept it (${fault.code})`, fault, outputs };
}

export function faultOf({ reason, message, severity }: AsoCondition): Fault {
  const more = severity === undefined ? {} : { severity };
  if (missing.has(reason)) return { kind: 'not-ready', code: reason, message, ...more, final: severity === 'Error' };
  if (reason === 'FailedWritingAdditionalKubernetesObjects') {
    return { kind: 'invalid', code: reason, message, ...more, final: true };
  }
  return azureFault(reason, message, severity);
}

export function outputsOf({ status }: AsoObject): Outputs {
  const text = (...path: string[]): string | undefined => {
    let at: unknown = status;
    for (const step of path) at = isObject(at) ? (at as JsonObject)[step] : undefined;
    return typeof at === 'string' && at !== '' ? at : undefined;
  };
  const known = {
    id: text('id'),
    fqdn: text('fqdn') ?? text('privateFQDN'),
    kubernetesVersion: text('currentKubernetesVersion'),
    nodeResourceGroup: text('nodeResourceGroup'),
    oidcIssuer: text('oidcIssuerProfile', 'issuerURL'),
    powerState: text('powerState', 'code'),
    principalId: text('principalId'),
    clientId: text('clientId'),
    repositoryPublicKey: text('repositoryPublicKey'),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}
