/** Requirements of a claim: per label, what is allowed. Several requirements on one label must all hold. */

import { labelKeyFault, labelValueFault, labelValueOf } from '../../../base/kubernetes/label-syntax.ts';
import { didYouMean } from '../../../base/nearest.ts';
import { type Checked, misspelled, type Problem, quoteInput } from '../../../base/problems.ts';
import { requirementsSize } from './size-limits.ts';
import { type Requirement, type RequirementOperator, requirementOperators } from './types.ts';
import {
  anything,
  describeSet,
  intersectAll,
  intersectSets,
  overlaps,
  singleValue,
  toInteger,
  type ValueSet,
  valueSet,
} from './value-set.ts';
import { labels, normalizeLabelKey, wellKnownLabels } from './well-known.ts';

export type Requirements = ReadonlyMap<string, ValueSet>;

const maxMinValues = 50;

export const noRequirements: Requirements = new Map();

/** Checks requirements as a claim has them, and folds them into one set per label. `path` is where they stand. */
export function parseRequirements(written: readonly Requirement[], path = 'spec.requirements'): Checked<Requirements> {
  const tooMany = requirementsSize(written, path);
  if (tooMany.length > 0) return { ok: false, problems: tooMany };
  const problems: Problem[] = [];
  const sets = new Map<string, ValueSet[]>();
  for (const [index, one] of written.entries()) {
    const at = `${path}[${index}]`;
    const requirement = withoutNulls(one);
    const found = requirementProblems(requirement, at);
    problems.push(...found);
    if (found.length > 0 || !isOperator(requirement.operator)) continue;
    const key = normalizeLabelKey(requirement.key);
    const set = valueSet(requirement.operator, valuesOf(key, requirement.values), requirement.minValues);
    const known = sets.get(key);
    if (known) known.push(set);
    else sets.set(key, [set]);
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: new Map([...sets].map(([key, all]) => [key, intersectAll(all)])) };
}

/** To the API server, a field that is null is a field that is absent; so it is to us. */
function withoutNulls(requirement: Requirement): Requirement {
  const { values, minValues, ...rest } = requirement;
  if (values !== null && minValues !== null) return requirement;
  return { ...rest, ...(values ? { values } : {}), ...(minValues ? { minValues } : {}) };
}

/**
 * A cloud may call its instance types by names that no label can hold, and people write these: `Medium Instance` means the type whose
 * label is `Medium-Instance`.
 */
const valuesOf = (key: string, values: readonly string[] | undefined): readonly string[] | undefined =>
  key === labels.instanceType
    ? values?.map((value) => (labelValueFault(value) === undefined ? value : labelValueOf(value)))
    : values;

/** What is wrong with one requirement by itself; `at` is where it stands. */
export function requirementProblems(requirement: Requirement, at: string): Problem[] {
  const problems: Problem[] = [];
  const keyFault = labelKeyFault(requirement.key);
  if (keyFault !== undefined) {
    problems.push(misspelled(`${at}.key`, keyFault, requirement.key, wellKnownLabels));
  }
  const { operator, values = [], minValues } = requirement;
  if (minValues !== undefined && !(Number.isInteger(minValues) && minValues >= 1 && minValues <= maxMinValues)) {
    problems.push({
      path: `${at}.minValues`,
      message: `${quoteInput(minValues)} is not allowed; use a whole number from 1 to ${maxMinValues}`,
    });
  }
  if (!isOperator(operator)) {
    const message = `${quoteInput(operator)} is not an operator; use one of ${requirementOperators.join(', ')}`;
    problems.push(misspelled(`${at}.operator`, message, operator, requirementOperators));
    return problems;
  }
  const valuesProblem = valuesFault(operator, values, minValues);
  if (valuesProblem !== undefined) problems.push({ path: `${at}.values`, message: valuesProblem });
  for (const [index, value] of values.entries()) {
    const fault = labelValueFault(value);
    const isName = normalizeLabelKey(requirement.key) === labels.instanceType && labelValueOf(value) !== '';
    if (fault !== undefined && !isName) problems.push({ path: `${at}.values[${index}]`, message: fault });
  }
  return problems;
}

function valuesFault(operator: RequirementOperator, values: readonly string[], minValues?: number): string | undefined {
  switch (operator) {
    case 'In':
      if (values.length === 0) return 'is empty; the operator In needs at least one value';
      return minValues !== undefined && new Set(values).size < minValues
        ? `has ${new Set(values).size} different values, fewer than minValues (${minValues})`
        : undefined;
    // Karpenter takes NotIn without values for no wish at all, and values of the other two for nothing: so do we.
    case 'NotIn':
    case 'Exists':
    case 'DoesNotExist':
      return undefined;
    default: {
      const number = values.length === 1 ? toInteger(values[0]!) : undefined;
      if (number !== undefined && number >= 0n) return undefined;
      return `${quoteInput(values)} is not allowed; the operator ${operator} needs exactly one non-negative whole number`;
    }
  }
}

const operatorNames: ReadonlySet<string> = new Set(requirementOperators);
const isOperator = (operator: string): operator is RequirementOperator => operatorNames.has(operator);

/** Requirements that an object with these labels meets: each label has exactly this value. */
export const requirementsFromLabels = (labels: Readonly<Record<string, string>>): Requirements =>
  new Map(Object.entries(labels).map(([key, value]) => [normalizeLabelKey(key), valueSet('In', [value])]));

/** What both allow, label by label. */
export function intersect(a: Requirements, b: Requirements): Requirements {
  const result = new Map(a);
  for (const [key, set] of b) result.set(key, intersectSets(result.get(key) ?? anything, set));
  return result;
}

export type Compatibility = { ok: true } | { ok: false; key: string; reason: string };

/**
 * Whether an object described by `offered` can meet `wanted`. A label that `offered` does not speak of is absent from the
 * object, unless `open` says that it may still get any value (as labels of the user's own do).
 */
export function compatible(
  offered: Requirements,
  wanted: Requirements,
  open: (key: string) => boolean = () => false,
): Compatibility {
  for (const [key, want] of wanted) {
    const offer = offered.get(key);
    if (offer === undefined) {
      if (want.absent || open(key)) continue;
      const known = didYouMean(key, offered.keys());
      return {
        ok: false,
        key,
        reason: `${key} ${describeSet(want)} is required, but no instance type has this label${known}`,
      };
    }
    if (!overlaps(offer, want)) {
      return {
        ok: false,
        key,
        reason: `${key} ${describeSet(want)} is required, but the value is ${describeSet(offer)}`,
      };
    }
  }
  return { ok: true };
}

/** Labels that the requirements fix: those with exactly one value left. */
export function labelsFrom(requirements: Requirements): Record<string, string> {
  const entries: [string, string][] = [];
  for (const [key, set] of requirements) {
    const value = singleValue(set);
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}
