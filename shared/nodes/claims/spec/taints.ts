/** Taints and tolerations, by the rules of Kubernetes: a taint is identified by key and effect. */

import { labelKeyFault, labelValueFault } from '../../../base/kubernetes/label-syntax.ts';
import { didYouMean } from '../../../base/nearest.ts';
import { quoteInput } from '../../../base/problems.ts';
import { type Taint, type TaintEffect, type Toleration, taintEffects } from './types.ts';
import { taintKeys } from './well-known.ts';

/** On every node of ours from boot until it is registered, so that no pod lands on it too early. */
export const unregisteredTaint: Taint = { key: taintKeys.unregistered, effect: 'NoExecute' };
/** On a node that is being taken away. */
export const disruptedTaint: Taint = { key: taintKeys.disrupted, effect: 'NoSchedule' };

export type ParsedTaint = { ok: true; value: Taint } | { ok: false; message: string };

/** Reads `key=value:Effect`, `key=:Effect` and `key:Effect`. */
export function parseTaint(text: string): ParsedTaint {
  const colon = text.lastIndexOf(':');
  if (colon < 0) {
    return { ok: false, message: `${quoteInput(text)} is not a taint; write key=value:Effect or key:Effect` };
  }
  const effect = text.slice(colon + 1);
  if (!isEffect(effect)) {
    const hint = didYouMean(effect, taintEffects);
    return {
      ok: false,
      message: `${quoteInput(effect)} is not an effect; use one of ${taintEffects.join(', ')}${hint}`,
    };
  }
  const [key = '', ...rest] = text.slice(0, colon).split('=');
  const value = rest.join('=');
  const fault = labelKeyFault(key) ?? labelValueFault(value);
  if (fault !== undefined) return { ok: false, message: `in the taint ${quoteInput(text)}, ${fault}` };
  return { ok: true, value: value === '' ? { key, effect } : { key, value, effect } };
}

/** `key=value:Effect`, or `key:Effect` without a value. */
export const formatTaint = ({ key, value, effect }: Taint): string =>
  value === undefined || value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;

/** Same key and effect: two such taints cannot stand on one node. */
export const matchesTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** Same key, effect and value; an empty value is none. When it was added does not matter. */
export const equalTaints = (a: Taint, b: Taint): boolean => matchesTaint(a, b) && (a.value ?? '') === (b.value ?? '');

/** The taints that are there, and after them those of `added` that are not yet. What is there wins, value and all. */
export function mergeTaints(present: readonly Taint[], added: readonly Taint[]): Taint[] {
  const result = [...present];
  for (const taint of added) if (!result.some((one) => matchesTaint(one, taint))) result.push(taint);
  return result;
}

/** The taints without those that match `removed` by key and effect. */
export const removeTaint = (present: readonly Taint[], removed: Taint): Taint[] =>
  present.filter((taint) => !matchesTaint(taint, removed));

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  const exists = toleration.operator === 'Exists';
  // An empty key with Exists tolerates everything; an empty key with Equal tolerates nothing.
  if (toleration.key === undefined || toleration.key === '') return exists;
  return toleration.key === taint.key && (exists || (toleration.value ?? '') === (taint.value ?? ''));
}

/** The taints that keep a pod with these tolerations off a node. PreferNoSchedule only discourages. */
export const untolerated = (taints: readonly Taint[], tolerations: readonly Toleration[]): Taint[] =>
  taints.filter((taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((one) => tolerates(one, taint)));

const ephemeral: readonly Taint[] = [
  { key: taintKeys.notReady, effect: 'NoSchedule' },
  { key: taintKeys.notReady, effect: 'NoExecute' },
  { key: taintKeys.unreachable, effect: 'NoSchedule' },
  { key: taintKeys.cloudUninitialized, value: 'true', effect: 'NoSchedule' },
  unregisteredTaint,
];

/** Whether a taint goes away by itself while a node starts; until then the node is not initialized. */
export const isEphemeralTaint = (taint: Taint): boolean =>
  taint.key.startsWith(taintKeys.readinessPrefix) || ephemeral.some((known) => equalTaints(known, taint));

const effectNames: ReadonlySet<string> = new Set(taintEffects);
const isEffect = (text: string): text is TaintEffect => effectNames.has(text);
