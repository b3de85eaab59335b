/** When a budget with a schedule holds: from each time that the cron expression names, for the duration. Always in UTC. */

import { Cron } from 'croner';
import { errorText } from '../../base/error-text.ts';

export type Active = { ok: true; active: boolean } | { ok: false; message: string };

/** Five fields, or one of the short names such as `@daily`; seconds and years are no part of it. */
const fields = /^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\S+(\s+\S+){4})$/;

/**
 * It goes back by the duration and asks for the next time from there: if that is not in the future, the budget began within
 * the duration and has not ended. A beginning within the window of another makes it longer.
 */
export function isActive(schedule: string, durationMs: number, now: number): Active {
  const text = schedule.trim();
  if (!fields.test(text)) return { ok: false, message: 'it must have five fields, such as "0 9 * * mon-fri"' };
  try {
    const next = new Cron(text, { timezone: 'UTC', paused: true }).nextRun(new Date(now - durationMs));
    return { ok: true, active: next !== null && next.getTime() <= now };
  } catch (error) {
    return { ok: false, message: errorText(error) };
  }
}
