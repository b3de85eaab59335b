/** A call of Azure Resource Manager as it is measured. Its resource is a type: names would make a series for each request. */

export interface MeasuredCall {
  verb: string;
  resource: string;
  /** Of HTTP; absent where no answer came. */
  status?: number;
  seconds: number;
}

/**
 * @example
 * resourceTypeOf('/subscriptions/s/resourceGroups/rg'); // Microsoft.Resources/resourceGroups
 */
export function resourceTypeOf(path: string): string {
  const [above = '', provider] = path.split(/\/providers\/(?!.*\/providers\/)/i);
  const [namespace = '', ...parts] = (provider ?? `Microsoft.Resources/${lastPairOf(above)}`).split('/');
  const types = parts.filter((_, index) => index % 2 === 0);
  // Azure ignores the case, and its own documentation writes both.
  return [namespace, ...types].join('/').replace(/\/resourcegroups$/i, '/resourceGroups');
}

/** A list has no name at its end. */
function lastPairOf(path: string): string {
  const parts = path.split('/').filter(Boolean);
  return parts.slice(parts.length % 2 === 0 ? -2 : -1).join('/');
}
