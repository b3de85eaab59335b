/** A claim that can't be had is tried again and again: of rounds that differ in times and numbers only, the last is shown. */
import type { HostDecision } from './host-view.ts';

/** choose, create, close, fail. Longer rounds than these are no mere repetition. */
const longestRound = 4;

export function condensed(decisions: readonly HostDecision[]): HostDecision[] {
  const keys = decisions.map(({ step, text }) =>
    JSON.stringify([step, text.replace(anyTime, '').replace(anyAttempt, '')]),
  );
  const shown: HostDecision[] = [];
  for (let at = 0; at < decisions.length; ) {
    const { length, times } = roundAt(keys, at);
    const last = decisions.slice(at + length * (times - 1), at + length * times);
    const [first] = decisions.slice(at, at + 1);
    for (const [index, one] of last.entries()) {
      const before = index > 0 ? last[index - 1] : decisions[at - 1];
      const text = echoes.has(one.step) ? withoutRepeated(before?.text, one.text) : one.text;
      const note = times > 1 && index === 0 ? ` (${times} times since ${first?.at.slice(11, 19)}; --details)` : '';
      shown.push({ ...one, text: text + note });
    }
    at += length * times;
  }
  return shown;
}

/** They say why once more, and when it goes on. */
const echoes: ReadonlySet<string> = new Set(['close', 'fail']);

/** Either text may have been cut at its end. */
function withoutRepeated(before: string | undefined, text: string): string {
  if (before === undefined) return text;
  if (text.startsWith(before)) return `as above${text.slice(before.length)}`;
  const [, head = '', why = ''] = /^(attempt \d+ is over: )?(.*)$/s.exec(text) ?? [];
  const from = before.indexOf(why.slice(0, 60));
  if (from <= 0 || why.length < 60) return text;
  const [known, again] = [before.slice(from), why].map((one) => one.replace(/…$/, ''));
  const isSame = known !== undefined && again !== undefined && (known.startsWith(again) || again.startsWith(known));
  return isSame ? `${head}as above` : text;
}

const anyAttempt = /\battempt \d+\b/g;
const anyTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

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
