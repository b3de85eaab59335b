/** Durations as Kubernetes and Go write them: `15m`, `1h30m`, `720h`, `1.5h`; in some fields also `Never`. */
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
]);
const whole = /^(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)/;
/** A hundred years; nobody means more, and sums of it stay exact. */
const longestMilliseconds = 100 * 365.25 * 24 * 3_600_000;

/** Reads a duration that is not negative. */
export function parseDuration(text: string): ParsedDuration {
  const wrong = (why: string): ParsedDuration => ({ ok: false, message: `${quoteInput(text)} ${why}` });
  if (text === '0') return { ok: true, milliseconds: 0 };
  if (text === '' || text.length > 64) return wrong('is not a duration; write for example 90s, 15m or 1h30m');
  let total = 0;
  for (let rest = text; rest !== ''; ) {
    const part = whole.exec(rest)?.[0];
    if (part === undefined) return wrong('is not a duration; write for example 90s, 15m or 1h30m');
    const unit = part.replace(/^[\d.]+/, '');
    total += Number(part.slice(0, -unit.length)) * units.get(unit)!;
    rest = rest.slice(part.length);
  }
  return total > longestMilliseconds ? wrong('is more than a hundred years') : { ok: true, milliseconds: total };
}

/** Like `parseDuration`, for fields that can be switched off by `Never`. */
export const parseNillableDuration = (text: string): ParsedNillableDuration =>
  text === 'Never' ? { ok: true, milliseconds: 'Never' } : parseDuration(text);

/** For people: `1h30m`, `45s`, `1.5s`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = Math.round(milliseconds % 60_000) / 1000;
  const text = `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${seconds > 0 ? `${seconds}s` : ''}`;
  return text === '' ? '0s' : text;
}
