/**
 * Durations. Fields of Kubernetes have them as Go writes them: `15m`, `1h30m`, `720h`, `1.5h`, in some fields also `Never`. Our own
 * configuration and options also take days and a plain number of seconds.
 */
import { quoteInput } from './problems.ts';

export type ParsedDuration = { ok: true; milliseconds: number } | { ok: false; message: string };
export type ParsedNillableDuration = { ok: true; milliseconds: number | 'Never' } | { ok: false; message: string };

const units: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3], // the micro sign
  ['μs', 1e-3], // the Greek letter, which Go accepts too
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000], // ours only
]);
// As escapes: with one other character, the text of all that is in the same bundle takes twice the memory.
const whole = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const wholeOfOurs = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const parts = /([\d.]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d)/g;
/** A hundred years; nobody means more, and sums of it stay exact. */
const longestMilliseconds = 100 * 365.25 * 24 * 3_600_000;

/** Reads a duration that is not negative. */
export function parseDuration(text: string): ParsedDuration {
  const wrong = (why: string): ParsedDuration => ({ ok: false, message: `${quoteInput(text)} ${why}` });
  if (text === '0') return { ok: true, milliseconds: 0 };
  if (text === '' || text.length > 64) return wrong('is not a duration; write for example 90s, 15m or 1h30m');
  if (!whole.test(text)) return wrong('is not a duration; write for example 90s, 15m or 1h30m');
  const total = millisecondsIn(text);
  return total > longestMilliseconds ? wrong('is more than a hundred years') : { ok: true, milliseconds: total };
}

/** Like `parseDuration`, for fields that can be switched off by `Never`. */
export const parseNillableDuration = (text: string): ParsedNillableDuration =>
  text === 'Never' ? { ok: true, milliseconds: 'Never' } : parseDuration(text);

/** Seconds as our configuration has them: "90s", "15m", "1h30m", "2d", or a plain number. Undefined if it is no duration. */
export function parseSeconds(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  // Sums such as 0.1 + 0.2 would otherwise show their last digits.
  return wholeOfOurs.test(text) ? Math.round(millisecondsIn(text)) / 1000 : undefined;
}

/** The other way round, for messages: 5400 is "1h30m". */
export function formatSeconds(seconds: number): string {
  let rest = Math.round(seconds * 1000);
  if (rest === 0) return '0s';
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = units.get(unit)!;
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}

function millisecondsIn(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(parts)) total += Number(amount) * units.get(unit!)!;
  return total;
}
