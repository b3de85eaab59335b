/**
 * The id of an instance inside a providerID, by the patterns that its provider declares: nothing is asked, so anything may look
 * it up for any number of providerIDs.
 */
import type { Provider } from './contract.ts';

/** A regular expression, as text, whose first group is the id. */
export interface InstanceIdPattern {
  pattern: string;
  /** Upper and lower case are the same; the id comes out in lower case. */
  ignoreCase?: boolean;
}

const compiled = new WeakMap<InstanceIdPattern, RegExp>();

/** Undefined when the providerID is not one of this provider. */
export function instanceIdOf({ instanceIds }: Pick<Provider, 'instanceIds'>, providerID: string): string | undefined {
  for (const one of instanceIds) {
    let expression = compiled.get(one);
    if (expression === undefined) {
      expression = new RegExp(one.pattern, one.ignoreCase ? 'i' : '');
      compiled.set(one, expression);
    }
    const id = expression.exec(providerID)?.[1];
    if (id !== undefined) return one.ignoreCase ? id.toLowerCase() : id;
  }
  return undefined;
}

/** A text as the part of a pattern that matches exactly that text. */
export const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
