/** Which machines of a hypervisor get an object, by the filter on their Provider. Pure. */
import { isObject } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { ListedMachine } from '../../drivers/contract.ts';
import { providerAnnotations } from './marks.ts';

export interface AdoptionFilter {
  /** A part of the name with `*` for anything. */
  namePattern?: string;
  powerState?: string;
  minCPU?: number;
  maxCPU?: number;
  minMemoryMiB?: number;
  maxMemoryMiB?: number;
}

const texts = ['namePattern', 'powerState'] as const;
const numbers = ['minCPU', 'maxCPU', 'minMemoryMiB', 'maxMemoryMiB'] as const;

/** A filter that cannot be read adopts nothing. */
export function readFilter(text: string | undefined): Result<AdoptionFilter> {
  if (text === undefined || text.trim() === '') return ok({});
  const wrong = (what: string): Result<never> =>
    failed('invalid', `metadata.annotations["${providerAnnotations.filter}"] ${what}`);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return wrong('is not JSON; write for example {"namePattern":"web-*"}');
  }
  if (!isObject(read)) return wrong('must be an object, such as {"namePattern":"web-*"}');
  for (const [field, value] of Object.entries(read)) {
    const right = texts.some((one) => one === field)
      ? typeof value === 'string'
      : numbers.some((one) => one === field) && typeof value === 'number';
    if (!right)
      return wrong(`has ${field}, which is unknown or of another type; it takes ${[...texts, ...numbers].join(', ')}`);
  }
  return ok(read as AdoptionFilter);
}

export function passes(machine: ListedMachine, filter: AdoptionFilter): boolean {
  const { namePattern, powerState, minCPU = 0, minMemoryMiB = 0, maxCPU, maxMemoryMiB } = filter;
  const { name, power, cpu = 0, memoryMiB = 0 } = machine;
  if (namePattern !== undefined && !matches(namePattern, name)) return false;
  if (powerState !== undefined && powerState !== power) return false;
  if (cpu < minCPU || memoryMiB < minMemoryMiB) return false;
  return cpu <= (maxCPU ?? cpu) && memoryMiB <= (maxMemoryMiB ?? memoryMiB);
}

/** Without a regular expression of a user's: it could take forever. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** A name that an API server takes; one that has nothing legal in it becomes its id. */
export function objectName({ id, name }: Pick<ListedMachine, 'id' | 'name'>): string {
  const legal = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .slice(0, 253)
      .replace(/^-+|-+$/g, '');
  return legal(name) || legal(id) || 'machine';
}
