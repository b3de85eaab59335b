/** One thing that does not answer must not keep the answers of all others. */

import type { Check } from '../../../../../shared/base/checks.ts';
import { errorText } from '../../../../../shared/base/error-text.ts';
import { type Timers, within } from '../../../../../shared/base/timers.ts';

export interface Look {
  /** What it is called when it could not be made. */
  name: string;
  look(signal: AbortSignal): Promise<Check[]>;
}

/** Whoever asks waits ten seconds. */
const limitMs = 8000;

export async function looked({ name, look }: Look, timers: Timers): Promise<Check[]> {
  const late = new AbortController();
  try {
    const checks = await within(look(late.signal), limitMs, timers);
    if (checks !== undefined) return checks;
    late.abort();
    return [{ name, state: 'warn', message: `not checked: no answer within ${limitMs / 1000} seconds` }];
  } catch (error) {
    const why = errorText(error);
    return [{ name, state: 'warn', message: `not checked: ${why}` }];
  }
}
