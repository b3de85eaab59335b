import { expect, test } from 'vitest';
import { failed, ok, type Result } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import type { Timers } from '../../base/timers.ts';
import { Merged } from './merged-asks.ts';

const never = new AbortController().signal;

function world(
  ask?: (keys: readonly string[], signal: AbortSignal) => Promise<Map<string, Result<string>>>,
  most = 10,
) {
  const calls: (readonly string[])[] = [];
  const due: { at: number; callback: () => void }[] = [];
  const timers: Timers = {
    after: (at, callback) => {
      const entry = { at, callback };
      due.push(entry);
      return () => void (due.includes(entry) && due.splice(due.indexOf(entry), 1));
    },
  };
  const merged = new Merged<string>({
    most,
    windowMs: 100,
    clock: manualClock(),
    timers,
    stoppedAs: 'outcome-unknown',
    ask: async (keys, signal) => {
      calls.push(keys);
      return ask?.(keys, signal) ?? new Map(keys.map((key) => [key, ok(key.toUpperCase())]));
    },
  });
  const fire = (): number[] => {
    const all = due.splice(0);
    for (const { callback } of all) callback();
    return all.map(({ at }) => at);
  };
  return { merged, calls, fire };
}

test('who comes alone waits for nobody, and while there is traffic there is a window', async () => {
  const { merged, calls, fire } = world();
  const first = merged.ask('a', never);
  expect(fire()).toEqual([0]);
  expect(await first).toEqual(ok('A'));
  const more = Promise.all([merged.ask('b', never), merged.ask('c', never), merged.ask('b', never)]);
  expect(fire()).toEqual([100]);
  expect(await more).toEqual([ok('B'), ok('C'), ok('B')]);
  expect(calls).toEqual([['a'], ['b', 'c']]);
});

test('a full call goes out at once', async () => {
  const { merged, calls } = world(undefined, 2);
  await Promise.all([merged.ask('a', never), merged.ask('b', never)]);
  expect(calls).toEqual([['a', 'b']]);
});

test('each has its own answer: the failure of one is not the others', async () => {
  const { merged, fire } = world(
    async () =>
      new Map([
        ['a', ok('A')],
        ['b', failed('not-found', 'b is gone')],
      ]),
  );
  const all = Promise.all([merged.ask('a', never), merged.ask('b', never), merged.ask('c', never)]);
  fire();
  expect(await all).toMatchObject([{ ok: true }, { error: { kind: 'not-found' } }, { error: { kind: 'unavailable' } }]);
});

test('who stops before the call was never part of it; who stops during it can not know', async () => {
  let signalSeen: AbortSignal | undefined;
  const { merged, calls, fire } = world((_keys, signal) => {
    signalSeen = signal;
    return new Promise(() => {});
  });
  const early = new AbortController();
  const late = new AbortController();
  const [first, second] = [merged.ask('a', early.signal), merged.ask('b', late.signal)];
  early.abort();
  fire();
  late.abort();
  expect(await first).toMatchObject({ error: { kind: 'unavailable' } });
  expect(await second).toMatchObject({ error: { kind: 'outcome-unknown' } });
  expect(calls).toEqual([['b']]);
  // Nobody is left who wants to know.
  expect(signalSeen?.aborted).toBe(true);
  expect(await merged.ask('c', AbortSignal.abort())).toMatchObject({ error: { kind: 'unavailable' } });
});
