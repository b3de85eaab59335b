/** A workflow that asks for everything there is, and what must come of it, whatever dies on the way. */
import type { Json } from '../../../shared/base/json.ts';
import { all, call, now, poll, type Steps, sleep, waitSignal } from '../../../shared/workflow/vocabulary.ts';
import type { TestActivity } from './harness.ts';

export interface Journey {
  run: () => Steps<Json>;
  activities: Record<string, TestActivity>;
  effects: () => string[];
}

/** Answers go by the clock: a repeated execution must not change them. The signal `sent` is to be sent once, at the start. */
export function journey(clock: () => number): Journey {
  const effects: string[] = [];
  const first = new Map<string, number>();
  const since = (what: string): number => {
    const begun = first.get(what) ?? clock();
    first.set(what, begun);
    return (clock() - begun) / 1000;
  };
  return {
    effects: () => effects,
    activities: {
      make: async (input, { workflowId }) => {
        effects.push(`${workflowId} make ${input}`);
        return `made ${input}`;
      },
      flaky: async () => {
        if (since('flaky') < 3) throw new Error('not yet');
        return 'steady';
      },
      ready: async () => (since('ready') >= 20 ? { done: true, value: 'ready' } : { done: false }),
    },
    *run() {
      const before = yield* now();
      const made = yield* call<string>('make', 'a');
      const both = yield* all([
        call<string>('make', 'b'),
        call<string>('flaky', null, { max: 5, firstSeconds: 2 }),
        poll<string>('ready', null, { everySeconds: 10, forSeconds: 100 }),
        sleep(3),
      ]);
      const signals = [yield* waitSignal('sent', 60), yield* waitSignal('sent', 10)];
      const last = yield* call<string>('make', 'c', { max: 3, firstSeconds: 1 });
      return { made, both: both as Json, signals, last, seconds: ((yield* now()) - before) / 1000 };
    },
  };
}

export const journeysEnd = {
  made: 'made a',
  both: [
    { ok: true, value: 'made b' },
    { ok: true, value: 'steady' },
    { ok: true, value: { done: true, value: 'ready' } },
    { ok: true, value: null },
  ],
  signals: [true, false],
  last: 'made c',
  seconds: 30,
};
