/** How long Azure asks us to wait: three headers, in seconds, in milliseconds or as a date. */

import type { Clock } from '../../base/runtime.ts';
import { retryAfterSeconds as standardRetryAfter } from '../../net/http-client.ts';

/** A longer pause is cut to a day, as with the standard header. */
const longestSeconds = 86_400;

/** Undefined without a header that makes sense. Header names are in lower case. */
export function retryAfterOf(headers: Readonly<Record<string, string | undefined>>, clock: Clock): number | undefined {
  for (const name of ['x-ms-retry-after-ms', 'retry-after-ms']) {
    const text = headers[name]?.trim() ?? '';
    if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) / 1000, longestSeconds);
  }
  return standardRetryAfter({ 'retry-after': headers['retry-after'] }, clock);
}
