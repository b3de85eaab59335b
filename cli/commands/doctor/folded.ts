/** What passed, in fewer lines: with many clusters nobody finds the one failure between hundreds of them. */
import type { GroupedCheck } from './looks.ts';

/** Up to so many clusters each of their checks has its line, apart from timers. */
const manySubjects = 3;
const subjectOf = (name: string): string | undefined => /^((?:cluster|provider) [^:]+): /.exec(name)?.[1];
const timersOf = (name: string): string | undefined => /^(cluster [^:]+: timer) /.exec(name)?.[1];

/** What warns or fails is never folded. Several that are in order become the first of them, with a count. */
export function folded(checks: readonly GroupedCheck[]): GroupedCheck[] {
  const clusters = new Set(checks.flatMap(({ name }) => subjectOf(name) ?? []));
  const keyOf = clusters.size > manySubjects ? subjectOf : timersOf;
  const keyed = ({ group, name, state }: GroupedCheck): string | undefined => {
    const key = state === 'pass' ? keyOf(name) : undefined;
    return key === undefined ? undefined : `${group}/${key}`;
  };
  const together = Map.groupBy(checks, keyed);
  return checks.flatMap((check) => {
    const key = keyed(check);
    const same = key === undefined ? [] : (together.get(key) ?? []);
    if (same.length < 2) return [check];
    if (same[0] !== check) return [];
    const timers = timersOf(check.name);
    if (keyOf === timersOf && timers !== undefined) {
      return [{ ...check, name: `${timers}s`, message: `${same.length} run as expected` }];
    }
    const subject = subjectOf(check.name) ?? check.name;
    const isWhole = checks.every(({ name, state }) => state === 'pass' || !`${name}:`.startsWith(`${subject}:`));
    return [{ ...check, name: subject, message: `${same.length} ${isWhole ? '' : 'other '}checks passed` }];
  });
}
