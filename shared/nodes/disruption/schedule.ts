/** When a budget with a schedule holds: from each time that the cron expression names, for the duration. Always in UTC. */

import { Cron } from 'croner';
import { errorText } from '../../base/error-text.ts';

export type Active = { ok: true; active: boolean } | { ok: false; message: string };

/** Five fields, or one of the short names such as `@daily`; seconds and years are no part of it. */
const longestSchedule = 256;
const fields = /^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\S+(\s+\S+){4})$/;

/**
 * It goes back by the duration and asks for the next time from there: if that is not in the future, the budget began within
 * the duration and has not ended. A beginning within the window of another makes it longer.
 */
export function isActive(schedule: string, durationMs: number, now: number): Active {
  const parsed = parseSchedule(schedule);
  if (!parsed.ok) return parsed;
  // To find out that a day never comes, the library goes through a thousand years.
  if (neverComes(schedule.trim())) return { ok: true, active: false };
  const next = parsed.cron.nextRun(new Date(now - durationMs));
  return { ok: true, active: next !== null && next.getTime() <= now };
}

/** What is wrong with it, or undefined; no time is looked for. */
export function scheduleFault(schedule: string): string | undefined {
  const parsed = parseSchedule(schedule);
  return parsed.ok ? undefined : parsed.message;
}

function parseSchedule(schedule: string): { ok: true; cron: Cron } | { ok: false; message: string } {
  if (schedule.length > longestSchedule) {
    return { ok: false, message: `it has ${schedule.length} characters; at most ${longestSchedule} are allowed` };
  }
  const text = schedule.trim();
  if (!fields.test(text)) return { ok: false, message: 'it must have five fields, such as "0 9 * * mon-fri"' };
  try {
    return { ok: true, cron: new Cron(text, { timezone: 'UTC', paused: true }) };
  } catch (error) {
    return { ok: false, message: errorText(error) };
  }
}

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days that none of the months has, such as February 30. Where a day of the week counts as well, some day always comes. */
function neverComes(schedule: string): boolean {
  const [, , days = '', months = '', weekdays] = schedule.split(/\s+/);
  const ofMonths = numbersIn(months)?.map((month) => daysOfMonths[month - 1] ?? 0);
  const first = Math.min(...(numbersIn(days) ?? [1]));
  return weekdays === '*' && ofMonths !== undefined && first > Math.max(...ofMonths);
}

/** The numbers of a plain list of numbers and ranges; undefined for anything else. */
function numbersIn(field: string): number[] | undefined {
  const parts = field.split(',').map((part) => /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part));
  if (!parts.every((part) => part !== null)) return undefined;
  return parts.flatMap(([, from, to]) => (to === undefined ? [Number(from)] : range(Number(from), Number(to))));
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
