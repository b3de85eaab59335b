/**
 * Validation rules in CEL, as far as the simulator goes: the transition rule `self == oldSelf`, by which a field
 * is made immutable. Any other rule is left to a real API server.
 */
import type { Json } from '../../shared/json.ts';
import { sameJson } from './types.ts';

/** Says whether the rule holds; `old` is undefined on creation, when transition rules do not apply. */
export type Rule = (value: Json, old: Json | undefined) => boolean;

export function compileRule(text: string): Rule | undefined {
  if (/^\s*self\s*==\s*oldSelf\s*$/.test(text)) return (value, old) => old === undefined || sameJson(value, old);
  return undefined;
}
