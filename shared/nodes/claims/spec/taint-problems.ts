/** Taints that no Node could have: the API server would refuse the Node, long after the machine was paid for. */

import { labelKeyFault, labelValueFault } from '../../../base/kubernetes/label-syntax.ts';
import { misspelled, type Problem, quoteInput } from '../../../base/problems.ts';
import { taintEffects } from './types.ts';

/** What is no list of taints is left to the check of shapes. */
export function taintProblems(taints: unknown, path: string): Problem[] {
  if (!Array.isArray(taints)) return [];
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  for (const [index, taint] of taints.entries()) {
    const { key, value, effect } = (taint ?? {}) as { key?: unknown; value?: unknown; effect?: unknown };
    const add = (field: string, message: string | undefined): void => {
      if (message !== undefined) problems.push({ path: `${path}[${index}]${field}`, message });
    };
    if (typeof key === 'string') add('.key', labelKeyFault(key, 'key of a taint'));
    if (typeof value === 'string') add('.value', labelValueFault(value, 'value of a taint'));
    if (typeof effect !== 'string') continue;
    if (!taintEffects.some((known) => known === effect)) {
      const message = `${quoteInput(effect)} is not an effect; use one of ${taintEffects.join(', ')}`;
      problems.push(misspelled(`${path}[${index}].effect`, message, effect, taintEffects));
    }
    if (typeof key !== 'string') continue;
    const earlier = seen.get(`${key}:${effect}`);
    if (earlier === undefined) seen.set(`${key}:${effect}`, index);
    else
      add(
        '',
        `has the key and effect of ${path}[${earlier}]; a node can have only one such taint, so remove one of the two`,
      );
  }
  return problems;
}
