/** What the webhook says of a class before it is stored, and which defaults it writes where that was asked for. */
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { mistakesIn } from '../../../base/problems.ts';
import type { NodeClassAdmission } from '../../manifest.ts';
import { parseNodeClass } from './parse.ts';
import { mostUserData, userDataProblem } from './user-data.ts';

/** What is used where a class says nothing. */
const defaults = {
  userDataSettings: { template: true, compress: 'Auto' },
  kubelet: { maxPods: 110, kubeReserved: { cpu: '100m', memory: '256Mi' } },
} as const satisfies JsonObject;

/** The same class with what it leaves out; what it says stays. */
export function withDefaults(spec: JsonObject): JsonObject {
  const lease = isObject(spec.lease) ? { lease: { expiryAction: 'DESTROY', ...spec.lease } } : {};
  const sections = Object.entries(defaults).map(([field, usual]) => {
    const given = spec[field];
    return [field, isObject(given) ? { ...usual, ...given } : (given ?? { ...usual })];
  });
  return { ...spec, ...(Object.fromEntries(sections) as JsonObject), ...lease };
}

export const admission: NodeClassAdmission = {
  validate: (spec: Json) => {
    const parsed = parseNodeClass(spec);
    if (!parsed.ok) return mistakesIn(parsed.error);
    const tooLong = userDataProblem(parsed.value, mostUserData);
    return tooLong === undefined ? [] : [{ path: 'spec.userData', message: tooLong.message }];
  },
  defaults: withDefaults,
};
