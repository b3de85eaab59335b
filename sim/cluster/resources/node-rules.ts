/** What holds for Nodes beyond their shape. */
import { type Cause, forbiddenField, requiredValue, unsupportedValue } from '../api-error.ts';
import { type Draft, type KubeObject, listAt, textAt } from '../types.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateNode(draft: Draft): Cause[] {
  const seen = new Set<string>();
  return listAt(draft, 'spec', 'taints').flatMap((taint, i) => {
    // The real server names them so, though they stand in the spec.
    const path = `metadata.taints[${i}]`;
    const key = textAt(taint, 'key');
    const effect = textAt(taint, 'effect');
    const causes: Cause[] = [];
    if (key === '') causes.push(requiredValue(`${path}.key`));
    if (effect === '') causes.push(requiredValue(`${path}.effect`));
    else if (!effects.includes(effect)) causes.push(unsupportedValue(`${path}.effect`, effect, effects));
    if (seen.has(`${key}:${effect}`)) {
      const message = `Duplicate value: ${JSON.stringify({ key, effect })}: taints must be unique by key and effect pair`;
      causes.push({ reason: 'FieldValueDuplicate', message, field: path });
    }
    seen.add(`${key}:${effect}`);
    return causes;
  });
}

/** The id at the cloud is set once. */
export function validateNodeUpdate(draft: Draft, old: KubeObject): Cause[] {
  const before = textAt(old, 'spec', 'providerID');
  if (before === '' || before === textAt(draft, 'spec', 'providerID')) return [];
  return [forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid')];
}
