/**
 * What a requirement allows for one label: a set of values, and whether the label may be absent. Either the allowed values
 * are listed, or (complement) all are allowed but the listed ones, within bounds. Absence is kept apart from the values,
 * so that intersecting is plain set intersection: `In [a]` and `In [b]` leave nothing, which is not the same as
 * "the label must not exist".
 */
import { defined } from '../../../base/defined.ts';
import type { RequirementOperator } from './types.ts';

export interface ValueSet {
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  /** Whether an object without the label fits. */
  readonly absent: boolean;
  /** Bounds, inclusive. With a bound, only integers fit. */
  readonly gte?: bigint;
  readonly lte?: bigint;
  /** How many different values the choice must leave open. */
  readonly minValues?: number;
}

type Bounds = { gte?: bigint | undefined; lte?: bigint | undefined };

const none: ReadonlySet<string> = new Set();

/** No requirement at all. */
export const anything: ValueSet = { complement: true, values: none, absent: true };
const nothing: ValueSet = { complement: false, values: none, absent: false };

/** The set that an operator with its values describes. The values must have been checked. */
export function valueSet(operator: RequirementOperator, values: readonly string[] = [], minValues?: number): ValueSet {
  return withMinValues(fromOperator(operator, values), minValues);
}

function fromOperator(operator: RequirementOperator, values: readonly string[]): ValueSet {
  const bound = (): bigint => toInteger(values[0] ?? '') ?? 0n;
  switch (operator) {
    case 'In':
      return { complement: false, values: new Set(values), absent: false };
    case 'NotIn':
      return { complement: true, values: new Set(values), absent: true };
    case 'Exists':
      return { complement: true, values: none, absent: false };
    case 'DoesNotExist':
      return { complement: false, values: none, absent: true };
    case 'Gt':
      return { complement: true, values: none, absent: false, gte: bound() + 1n };
    case 'Gte':
      return { complement: true, values: none, absent: false, gte: bound() };
    case 'Lt':
      return { complement: true, values: none, absent: false, lte: bound() - 1n };
    case 'Lte':
      return { complement: true, values: none, absent: false, lte: bound() };
  }
}

/** Whether a label with this value fits; `undefined` asks for an object without the label. */
export function has(set: ValueSet, value: string | undefined): boolean {
  if (value === undefined) return set.absent;
  return set.values.has(value) !== set.complement && within(value, set);
}

/** What both allow. The larger of the two minValues counts. */
export function intersectSets(a: ValueSet, b: ValueSet): ValueSet {
  const minValues = a.minValues === undefined ? b.minValues : Math.max(a.minValues, b.minValues ?? 0);
  return withMinValues(intersectValues(a, b), minValues);
}

/** What all allow, in time that grows with the number of their values: taken in pairs, what many of them exclude is copied again and again. */
export function intersectAll(sets: readonly ValueSet[]): ValueSet {
  const lists = sets.filter(({ complement }) => !complement).sort((a, b) => a.values.size - b.values.size);
  const rest = sets.filter(({ complement }) => complement);
  const excluded = new Set<string>();
  for (const { values } of rest) for (const value of values) excluded.add(value);
  const bounds = rest.reduce((all, { values: _, ...one }) => intersectSets(all, { ...one, values: none }), anything);
  const others = intersectSets(bounds, { ...anything, values: excluded });
  return lists.reduce((left, list) => intersectSets(left, list), others);
}

function intersectValues(a: ValueSet, b: ValueSet): ValueSet {
  const absent = a.absent && b.absent;
  if (!a.complement || !b.complement) {
    // At least one side is a list: the result is the part of it that the other side allows, and needs no bounds.
    const [list, other] = a.complement ? [b, a] : [a, b];
    const values = new Set<string>();
    for (const value of list.values) if (has(other, value)) values.add(value);
    return { complement: false, values, absent };
  }
  const gte = larger(a.gte, b.gte);
  const lte = smaller(a.lte, b.lte);
  if (gte !== undefined && lte !== undefined && gte > lte) return { ...nothing, absent };
  // Values that the bounds exclude anyway need no mention; without them, equal sets look equal.
  const values = new Set<string>();
  for (const side of [a, b]) for (const value of side.values) if (within(value, { gte, lte })) values.add(value);
  return {
    complement: true,
    values,
    absent,
    ...defined({ gte, lte }),
  };
}

/** Whether nothing fits, not even absence. */
export const isEmpty = (set: ValueSet): boolean => !set.absent && !set.complement && set.values.size === 0;

/** Whether some value, or absence, fits both. Like `!isEmpty(intersectSets(a, b))`, without building anything. */
export function overlaps(a: ValueSet, b: ValueSet): boolean {
  if (a.absent && b.absent) return true;
  if (a.complement && b.complement) {
    const gte = larger(a.gte, b.gte);
    const lte = smaller(a.lte, b.lte);
    return gte === undefined || lte === undefined || gte <= lte;
  }
  const [list, other] = a.complement ? [b, a] : !b.complement && b.values.size < a.values.size ? [b, a] : [a, b];
  for (const value of list.values) if (has(other, value)) return true;
  return false;
}

/** The one value that fits, if there is exactly one and the label may not be absent. */
export function singleValue(set: ValueSet): string | undefined {
  if (set.complement || set.absent || set.values.size !== 1) return undefined;
  const [value] = set.values;
  return value;
}

/** Whether the label must be there: In, Exists and the bounds do, NotIn and DoesNotExist do not. */
export const needsLabel = (set: ValueSet): boolean => !set.absent;

/** For people: `In [a, b]`, `NotIn [a]`, `Exists`, `Gte 3 and Lte 7`, … Long lists are cut. */
export function describeSet(set: ValueSet, limit = 5): string {
  const list = (): string => {
    const shown = [...set.values].slice(0, limit);
    const rest = set.values.size - shown.length;
    return `[${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}]`;
  };
  if (!set.complement) {
    if (set.values.size > 0) return `In ${list()}`;
    return set.absent ? 'DoesNotExist' : 'In []';
  }
  const parts: string[] = [];
  if (set.gte !== undefined) parts.push(`Gte ${set.gte}`);
  if (set.lte !== undefined) parts.push(`Lte ${set.lte}`);
  if (set.values.size > 0) parts.push(`NotIn ${list()}`);
  if (parts.length > 0) return parts.join(' and ');
  return set.absent ? 'anything' : 'Exists';
}

/** A whole number in the range of int64, or nothing. Leading zeros are allowed, as Go allows them. */
export function toInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,63}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function within(value: string, { gte, lte }: Bounds): boolean {
  if (gte === undefined && lte === undefined) return true;
  const number = toInteger(value);
  return number !== undefined && (gte === undefined || number >= gte) && (lte === undefined || number <= lte);
}

const withMinValues = (set: ValueSet, minValues: number | undefined): ValueSet =>
  minValues === undefined ? set : { ...set, minValues };

const larger = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined ? b : b === undefined || a > b ? a : b;
const smaller = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined ? b : b === undefined || a < b ? a : b;
