/** An answer that is dear to get and may be a little old. */
import type { Clock } from '../../../shared/base/runtime.ts';

/** However many ask within the time, one asks; a failure is nobody else's answer. */
export function cached<T>(ask: () => Promise<T>, clock: Clock, milliseconds: number): () => Promise<T> {
  let known: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (known && clock.now() - known.at < milliseconds) return known.answer;
    const answer = ask();
    known = { at: clock.now(), answer };
    answer.catch(() => {
      known = undefined;
    });
    return answer;
  };
}
