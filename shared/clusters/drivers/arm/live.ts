/** What Azure says of a resource: whose it is, how far it is, what is wrong with it. Pure. */
import { asObject, isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { manifestTag } from '../../resolved/tags.ts';
import { azureFault } from '../azure-codes.ts';
import type { Fault, LookResult, Outputs } from '../contract.ts';
import { type Target, taggedAt } from './kinds.ts';

export type ArmResource = JsonObject;

export const tagsIn = ({ kind }: Pick<Target, 'kind'>, live: ArmResource): JsonObject | undefined =>
  asObject(taggedAt[kind] === 'properties' ? asObject(live.properties)?.tags : live.tags);

export function textIn(value: Json | undefined, ...path: readonly string[]): string | undefined {
  let at: Json | undefined = value;
  for (const step of path) at = isObject(at) ? at[step] : undefined;
  return typeof at === 'string' && at !== '' ? at : undefined;
}

/** Undefined for what is there as soon as it is written. */
export const stateOf = (live: ArmResource): string | undefined => textIn(live, 'properties', 'provisioningState');

export const isDeleting = (live: ArmResource): boolean => stateOf(live) === 'Deleting';
const failedStates = new Set(['Failed', 'Canceled']);
export const hasFailed = (live: ArmResource): boolean => failedStates.has(stateOf(live) ?? '');
/** Nothing is under way. */
export const isSettled = (live: ArmResource): boolean => {
  const state = stateOf(live);
  return state === undefined || state === 'Succeeded' || failedStates.has(state);
};

/** All of `body` has been written. Where there are no tags, what is there has to say so itself. */
export function isWritten(target: Target, live: ArmResource, body: JsonObject): boolean {
  if (taggedAt[target.kind] === 'none') return holds(live.properties, body.properties ?? {});
  return tagsIn(target, live)?.[manifestTag] === tagsIn(target, body)?.[manifestTag];
}

/** Whether `live` has everything that `wanted` says. Azure adds fields of its own, and does not keep the case of ids. */
function holds(live: Json | undefined, wanted: Json): boolean {
  if (isObject(wanted)) {
    return isObject(live) && Object.entries(wanted).every(([key, value]) => holds(live[key], value));
  }
  if (Array.isArray(wanted)) {
    const list = Array.isArray(live) ? live : [];
    return list.length === wanted.length && wanted.every((value, index) => holds(list[index], value));
  }
  if (typeof wanted === 'string' && typeof live === 'string' && wanted.startsWith('/')) {
    return wanted.toLowerCase() === live.toLowerCase();
  }
  return live === wanted;
}

export function looked(live: ArmResource): LookResult {
  const outputs = outputsOf(live);
  if (isDeleting(live)) return { state: 'pending', waitingFor: 'an older one of this name to be deleted' };
  if (hasFailed(live)) {
    const fault = faultIn(live);
    if (fault.final) return { state: 'failed', fault, outputs };
    return { state: 'pending', waitingFor: `Azure to accept it (${fault.code})`, fault, outputs };
  }
  return isSettled(live)
    ? { state: 'ready', outputs }
    : { state: 'pending', waitingFor: `Azure to finish (${stateOf(live)})`, outputs };
}

/** Each resource provider has its own place for why something has failed; some have none. */
const errorPaths: readonly (readonly string[])[] = [
  ['status', 'provisioningError'],
  ['provisioningError'],
  ['errorInfo'],
  ['error'],
];

export function faultIn(live: ArmResource): Fault {
  const properties = asObject(live.properties) ?? {};
  for (const path of errorPaths) {
    let at: Json | undefined = properties;
    for (const step of path) at = asObject(at)?.[step];
    const error = asObject(asObject(at)?.error) ?? asObject(at);
    const [code, message] = [textIn(error, 'code'), textIn(error, 'message')];
    if (code !== undefined || message !== undefined) return azureFault(code ?? '', message ?? '');
  }
  const message = textIn(properties, 'errorMessage');
  const state = stateOf(live) ?? 'Failed';
  return azureFault(
    state,
    message ?? `Azure says ${state}, and not why. The activity log of its resource group has the reason.`,
  );
}

export function outputsOf(live: ArmResource): Outputs {
  const of = (...path: string[]): string | undefined => textIn(live, 'properties', ...path);
  const known = {
    id: textIn(live, 'id'),
    fqdn: of('fqdn') ?? of('privateFQDN'),
    kubernetesVersion: of('currentKubernetesVersion'),
    nodeResourceGroup: of('nodeResourceGroup'),
    oidcIssuer: of('oidcIssuerProfile', 'issuerURL'),
    powerState: of('powerState', 'code'),
    principalId: of('principalId'),
    clientId: of('clientId'),
    repositoryPublicKey: of('repositoryPublicKey'),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** As the operator shows it: without `properties` in between. */
export const flattened = ({ properties, ...rest }: ArmResource): JsonObject => ({ ...rest, ...asObject(properties) });
