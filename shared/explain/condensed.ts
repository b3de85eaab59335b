/** A claim that is out of capacity is tried again and again: of rounds that differ in times and numbers only, the last is shown. */
import { isObject, type Json } from '../base/json.ts';
import { kindOf, renderDecision } from '../nodes/steps/report/decision-catalog.ts';
import type { Fields } from '../nodes/steps/report/decisions/kind.ts';
import { oldRound } from './old-records.ts';

/** What is needed of a decision; whatever form its time has, it is passed on as it is. */
export interface Line {
  at: unknown;
  step: string;
  text: string;
  code?: string | undefined;
  fields?: unknown;
}

/** `times`: so often in a row, since `since`. */
export type Condensed<T extends Line> = T & { times?: number; since?: T['at'] };

/** choose, create, close, fail. Longer rounds than these are no mere repetition. */
const longestRound = 4;

export function condensed<T extends Line>(decisions: readonly T[]): Condensed<T>[] {
  const keys = decisions.map(keyOf);
  const shown: Condensed<T>[] = [];
  for (let at = 0; at < decisions.length; ) {
    const { length, times } = roundAt(keys, at);
    const last = decisions.slice(at + length * (times - 1), at + length * times);
    const first = decisions[at];
    for (const [index, one] of last.entries()) {
      const before = index > 0 ? last[index - 1] : decisions[at - 1];
      const more = times > 1 && index === 0 && first !== undefined ? { times, since: first.at } : {};
      shown.push({ ...one, text: withoutRepeated(before, one), ...more });
    }
    at += length * times;
  }
  return shown;
}

/** What two decisions have in common where the one only repeats the other. One of an older version has only its sentence. */
function keyOf({ step, code, fields, text }: Line): string {
  const kind = code === undefined ? undefined : kindOf(code);
  if (!kind || !isObject(fields)) return JSON.stringify([step, oldRound(text)]);
  const { attempt: _, ...rest } = fields;
  return JSON.stringify([step, code, kind.round?.(fields as Fields) ?? rest]);
}

/** They say why once more, and when it goes on. */
const echoes: ReadonlySet<string | undefined> = new Set(['attempt-closed', 'launch-failed', 'given-back']);
/** A shorter message is as quickly read as a reference to it. */
const worthLeavingOut = 60;

function withoutRepeated(before: Line | undefined, { text, code, fields }: Line): string {
  const why = messageIn(fields);
  if (!echoes.has(code) || why === undefined || messageIn(before?.fields) !== why) return text;
  if (why.length < worthLeavingOut && before?.text !== why) return text;
  return renderDecision(
    { text, ...(code === undefined ? {} : { code }), fields: fields as Json },
    { message: 'as above' },
  );
}

const messageIn = (fields: unknown): string | undefined =>
  isObject(fields) && typeof fields.message === 'string' ? fields.message : undefined;

/** The round that begins here, and how often it comes in a row. */
function roundAt(keys: readonly string[], start: number): { length: number; times: number } {
  for (let length = 1; length <= longestRound; length++) {
    const isSame = (index: number): boolean => keys[index] !== undefined && keys[index] === keys[index - length];
    let end = start + length;
    while (isSame(end)) end++;
    const times = Math.floor((end - start) / length);
    if (times > 1) return { length, times };
  }
  return { length: 1, times: 1 };
}
