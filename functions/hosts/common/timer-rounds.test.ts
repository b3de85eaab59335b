import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import type { FunctionServices, TimerFunction } from '../../declaration.ts';
import { TimerRounds } from './timer-rounds.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const tick = { seconds: 30 };
const clusters = (...names: string[]) => names.map((name) => ({ name, everySeconds: 30 }));

function start(run: (cluster: string, signal: AbortSignal) => Promise<void>) {
  const log = collectingLog();
  const times = new Map<string, Json>();
  const state = {
    get: async (key: string) => (times.has(key) ? { key, value: times.get(key), version: '1' } : undefined),
    put: async (key: string, value: Json) => void times.set(key, value),
  };
  // Only what a round needs of the services.
  const services = { log, state, clock: systemClock } as object as FunctionServices;
  const timer: TimerFunction = {
    name: 'probe',
    trigger: { type: 'timer', every: 'resync' },
    run: (_, cluster, signal) => run(cluster, signal),
  };
  return { timer, log, rounds: new TimerRounds(services) };
}

const never = () => new Promise<void>(() => undefined);

describe('a round of a timer', () => {
  it('runs every cluster, and one that fails hides no other', async () => {
    const ran: string[] = [];
    const { rounds, timer, log } = start(async (cluster) => {
      ran.push(cluster);
      if (cluster === 'a') throw new Error('broken');
    });
    const failed = await rounds.run({ timer, clusters: clusters('a', 'b'), tick });
    expect(ran).toEqual(['a', 'b']);
    expect(failed).toEqual([{ cluster: 'a', problem: 'broken' }]);
    expect(log.lines).toMatchObject([{ event: 'timer.failed', ids: { cluster: 'a', function: 'probe' } }]);
  });

  it('ends before the next tick while a silent cluster goes on, which sits out until it is through', async () => {
    const ran: string[] = [];
    const { promise: through, resolve } = Promise.withResolvers<void>();
    const { rounds, timer } = start(async (cluster) => {
      ran.push(cluster);
      if (cluster === 'silent' && ran.length <= 2) await through;
    });
    const round = () => rounds.run({ timer, clusters: clusters('silent', 'b'), tick });
    const first = round();
    await vi.advanceTimersByTimeAsync(24_000);
    await first;
    await round();
    expect(ran).toEqual(['silent', 'b', 'b']);
    resolve();
    await rounds.settled();
    await round();
    expect(ran).toEqual(['silent', 'b', 'b', 'silent', 'b']);
  });

  it('ends long before the platform would end the worker, however seldom it ticks', async () => {
    const { rounds, timer } = start(never);
    const daily = { seconds: 86_400 };
    const round = rounds.run({ timer, clusters: [{ name: 'silent', everySeconds: 86_400 }], tick: daily });
    await vi.advanceTimersByTimeAsync(300_000);
    await round;
  });

  it('gives a cluster up that never ends, and begins with it anew', async () => {
    const signals: AbortSignal[] = [];
    const { rounds, timer, log } = start((_, signal) => {
      signals.push(signal);
      return never();
    });
    const round = async () => {
      const running = rounds.run({ timer, clusters: clusters('stuck'), tick });
      await vi.advanceTimersByTimeAsync(24_000);
      await running;
    };
    await round();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(signals[0]?.aborted).toBe(true);
    expect(log.lines).toMatchObject([{ event: 'timer.failed', ids: { cluster: 'stuck' } }]);
    await round();
    expect(signals).toHaveLength(2);
  });

  it('gives up what has not ended in time where nothing can go on behind it', async () => {
    const signals: AbortSignal[] = [];
    const { rounds, timer, log } = start((cluster, signal) => {
      signals.push(signal);
      return cluster === 'stuck' ? never() : Promise.resolve();
    });
    const round = rounds.run({ timer, clusters: clusters('stuck', 'b'), tick, endsAfterMs: 50_000 });
    await vi.advanceTimersByTimeAsync(49_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await round).toEqual([{ cluster: 'stuck', problem: 'not finished after 50 seconds' }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(log.lines).toMatchObject([{ event: 'timer.failed', ids: { cluster: 'stuck' } }]);
  });

  it('runs a cluster with a longer interval only when it is due', async () => {
    const ran: string[] = [];
    const { rounds, timer } = start(async (cluster) => void ran.push(cluster));
    const both = [
      { name: 'often', everySeconds: 30 },
      { name: 'seldom', everySeconds: 90 },
    ];
    for (let round = 0; round < 4; round++) {
      await rounds.run({ timer, clusters: both, tick });
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(ran.filter((name) => name === 'often')).toHaveLength(4);
    expect(ran.filter((name) => name === 'seldom')).toHaveLength(2);
  });
});
