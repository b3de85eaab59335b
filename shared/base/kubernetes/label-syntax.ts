/** Which texts Kubernetes accepts as label keys and values. Each check returns what is wrong, or nothing. */
import { quoteInput } from '../problems.ts';

const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const domainPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** @param what What else has the syntax of one. */
export function labelKeyFault(key: string, what = 'label key'): string | undefined {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (domain !== undefined && (domain.length > 253 || !domainPattern.test(domain))) {
    return `${quoteInput(key)} is not a ${what}: the part before the slash must be a lowercase DNS name of at most 253 characters`;
  }
  if (name.length > 63 || !namePattern.test(name)) {
    return `${quoteInput(key)} is not a ${what}: the name must have 1 to 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit`;
  }
  return undefined;
}

export function labelValueFault(value: string, what = 'label value'): string | undefined {
  if (value === '' || (value.length <= 63 && namePattern.test(value))) return undefined;
  return `${quoteInput(value)} is not a ${what}: it must have at most 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit`;
}

/** The part before the slash, or nothing for a plain key. */
export const labelDomain = (key: string): string => {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
};

/**
 * What a label value can hold of a name that a cloud gave: `Medium Instance` is `Medium-Instance`. Empty for a name without letters and
 * digits of ASCII.
 */
export function labelValueOf(name: string, longest = 63): string {
  const legal = name.normalize('NFKD').replaceAll(/[^A-Za-z0-9._-]+/g, (_, at: number) => (at === 0 ? '' : '-'));
  return legal
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, longest)
    .replace(/[^A-Za-z0-9]+$/, '');
}
