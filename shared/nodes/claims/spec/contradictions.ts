/** Requirements that are fine one by one and can't all hold: no machine of any provider could ever meet them. */
import type { Problem } from '../../../base/problems.ts';
import { parseRequirements } from './requirements.ts';
import type { Requirement } from './types.ts';
import { anything, describeSet, intersectAll, intersectSets, isEmpty, type ValueSet } from './value-set.ts';

/** One problem per label, at the requirement that leaves nothing over. Requirements that are wrong by themselves are passed over. */
export function contradictions(written: readonly Requirement[], path: string): Problem[] {
  const problems: Problem[] = [];
  const left = new Map<string, { set: ValueSet; from: { at: string; set: ValueSet }[] }>();
  const settled = new Set<string>();
  const parsedAt = written.map((requirement) => parseRequirements([requirement]));
  // Only where nothing is left in the end does it matter which of them leaves nothing over.
  const suspects = keysThatFail(parsedAt.flatMap((parsed) => (parsed.ok ? [...parsed.value] : [])));
  for (const index of written.keys()) {
    const parsed = parsedAt[index];
    if (!parsed?.ok) continue;
    for (const [key, set] of parsed.value) {
      if (settled.has(key) || !suspects.has(key)) continue;
      const before = left.get(key) ?? { set: anything, from: [] };
      const at = `${path}[${index}]`;
      const now = { set: intersectSets(before.set, set), from: [...before.from, { at, set }] };
      left.set(key, now);
      const fault = faultOf(key, now.set);
      if (fault === undefined) continue;
      settled.add(key);
      problems.push({ path: at, message: `${fault} ${together(now.from)}` });
    }
  }
  return problems;
}

function keysThatFail(sets: readonly [string, ValueSet][]): Set<string> {
  const byKey = Map.groupBy(sets, ([key]) => key);
  const failing = [...byKey].filter(
    ([key, all]) => faultOf(key, intersectAll(all.map(([, set]) => set))) !== undefined,
  );
  return new Set(failing.map(([key]) => key));
}

function faultOf(key: string, set: ValueSet): string | undefined {
  if (leavesNothing(set)) return `leaves no value for ${key}:`;
  const { minValues } = set;
  if (minValues === undefined || set.complement || set.values.size >= minValues) return undefined;
  return `leaves ${set.values.size} of the ${minValues} values (minValues) for ${key}:`;
}

/** Also when all whole numbers between the bounds are excluded one by one. */
function leavesNothing(set: ValueSet): boolean {
  if (isEmpty(set)) return true;
  const { complement, values, absent, gte, lte } = set;
  if (!complement || absent || gte === undefined || lte === undefined) return false;
  // The excluded values are all within the bounds; but 4 and 04 are one number and two values.
  return lte - gte < BigInt(values.size) && new Set([...values].map(BigInt)).size === Number(lte - gte + 1n);
}

function together(parts: readonly { at: string; set: ValueSet }[]): string {
  const texts = parts.map(({ at, set }) => `${describeSet(set)} (${at})`);
  if (texts.length === 1) return `${texts[0]}; change it`;
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)} contradict each other; remove or change one of them`;
}
