/** What is kept of one call to a cloud for `explain`: whom, what, how it answered, and how long that took. */

import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import type { Failure } from '../../../base/result.ts';
import { cutText } from '../../../base/text.ts';

const longestCause = 300;

export function callDetail(
  provider: string,
  call: string,
  answer: 'done' | 'begun' | Failure,
  milliseconds?: number,
): { [key: string]: Json } {
  const took = milliseconds === undefined ? {} : { ms: Math.max(0, Math.round(milliseconds)) };
  if (typeof answer === 'string') return { provider, call, answer, ...took };
  const { kind, cause, retryAfterSeconds } = answer;
  return {
    provider,
    call,
    answer: kind,
    ...took,
    // The cloud's own code, and the id under which its support finds the request.
    ...(cause === undefined ? {} : { said: cutText(cause, longestCause) }),
    ...defined({ retryAfterSeconds }),
  };
}
