/** Maps of quantities by resource name. A resource that is not in a map counts as zero. */
import { type Checked, type Problem, quoteInput } from '../../../base/problems.ts';
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
  zeroQuantity,
} from './quantities.ts';
import type { ResourceList } from './types.ts';

export type Resources = ReadonlyMap<string, Quantity>;

export const noResources: Resources = new Map();

/** Reads a resource list; `path` is where it stands. */
export function parseResources(list: ResourceList | undefined, path = 'spec.resources.requests'): Checked<Resources> {
  const result = new Map<string, Quantity>();
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(list ?? {})) {
    const parsed = parseQuantity(text);
    const at = `${path}[${quoteInput(name)}]`;
    if (!parsed.ok) problems.push({ path: at, message: parsed.message });
    else if (parsed.value.nanos < 0n) problems.push({ path: at, message: `${quoteInput(text)} is negative` });
    else result.set(name, parsed.value);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: result };
}

/** The wire form, with canonical quantities. */
export const formatResources = (resources: Resources): Record<string, string> =>
  Object.fromEntries([...resources].map(([name, value]) => [name, formatQuantity(value)]));

export const addResources = (a: Resources, b: Resources): Resources => combine(a, b, addQuantities);

/** May go below zero: that is how much is missing. */
export const subtractResources = (a: Resources, b: Resources): Resources => combine(a, b, subtractQuantities);

function combine(a: Resources, b: Resources, join: (x: Quantity, y: Quantity) => Quantity): Resources {
  const result = new Map(a);
  for (const [name, value] of b) result.set(name, join(result.get(name) ?? zeroQuantity, value));
  return result;
}

export interface MissingResource {
  resource: string;
  requested: Quantity;
  available: Quantity;
  /** `nvidia.com/gpu: 8 requested, 4 available`. */
  reason: string;
}

/** Which requests do not fit into what is available; empty if all do. */
export function missingResources(requests: Resources, available: Resources): MissingResource[] {
  const missing: MissingResource[] = [];
  for (const [resource, requested] of requests) {
    const has = available.get(resource) ?? zeroQuantity;
    if (requested.nanos <= has.nanos) continue;
    missing.push({ resource, requested, available: has, reason: missingReason(resource, requested, has) });
  }
  return missing;
}

export const missingReason = (resource: string, requested: Quantity, available: Quantity): string =>
  `${resource}: ${formatQuantity(requested)} requested, ${formatQuantity(available)} available`;

export function fits(requests: Resources, available: Resources): boolean {
  for (const [resource, requested] of requests) {
    if (requested.nanos > (available.get(resource) ?? zeroQuantity).nanos) return false;
  }
  return true;
}
