import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import type { FunctionServices, TimerFunction } from '../../declaration.ts';
import { runTimers } from './timers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const services = {} as FunctionServices;
/** No jitter. */
const middle = () => 0.5;

function timer(run: (cluster: string, signal: AbortSignal) => Promise<void>): TimerFunction {
  return {
    name: 'probe',
    trigger: { type: 'timer', every: 'resync' },
    run: (_, cluster, signal) => run(cluster, signal),
  };
}

function start(run: TimerFunction, plan: { everySeconds?: number; afterSeconds?: number; clusters?: string[] } = {}) {
  const { everySeconds = 10, afterSeconds = 0, clusters = ['a'] } = plan;
  const stop = new AbortController();
  const log = collectingLog();
  const plans = clusters.map((cluster) => ({ timer: run, cluster, everySeconds, afterSeconds }));
  let ended = false;
  const all = runTimers(plans, services, middle, log, stop.signal).then(() => {
    ended = true;
  });
  return { stop, log, all, isEnded: () => ended };
}

describe('a function on a timer', () => {
  it('runs after its first pause and then at its pace, for each cluster', async () => {
    const runs: string[] = [];
    const { stop, all } = start(
      timer(async (cluster) => void runs.push(cluster)),
      { afterSeconds: 5, clusters: ['a', 'b'] },
    );
    await vi.advanceTimersByTimeAsync(4_999);
    expect(runs).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(runs).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    stop.abort();
    await all;
  });

  it('never runs beside itself, and one cluster that hangs holds up no other', async () => {
    let running = 0;
    let most = 0;
    let others = 0;
    const finish: (() => void)[] = [];
    const { stop, all } = start(
      timer(async (cluster) => {
        if (cluster === 'b') return void others++;
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => finish.push(resolve));
        running--;
      }),
      { everySeconds: 1, clusters: ['a', 'b'] },
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(most).toBe(1);
    expect(finish).toHaveLength(1);
    expect(others).toBeGreaterThanOrEqual(10);
    finish.pop()?.();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(finish).toHaveLength(1);
    stop.abort();
    finish.pop()?.();
    await all;
    expect(most).toBe(1);
  });

  it.each([
    ['rejects', async () => Promise.reject(new Error('no luck'))],
    [
      'throws at once',
      () => {
        throw new Error('no luck');
      },
    ],
  ])('that %s is logged and runs again', async (_, fail) => {
    let runs = 0;
    const { stop, all, log } = start(
      timer((): Promise<void> => {
        runs++;
        return runs === 2 ? fail() : Promise.resolve();
      }),
    );
    await vi.advanceTimersByTimeAsync(30_000);
    expect(runs).toBe(4);
    expect(log.lines.filter(({ event }) => event === 'timer.failed')).toMatchObject([
      { ids: { cluster: 'a', function: 'probe' } },
    ]);
    stop.abort();
    await all;
  });

  it('stops on the signal: at once in a pause, and after its run when it runs; its error then is no news', async () => {
    const idle = start(timer(async () => {}));
    await vi.advanceTimersByTimeAsync(1_000);
    idle.stop.abort();
    await idle.all;
    expect(vi.getTimerCount()).toBe(0);

    const busy = start(
      timer(
        (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
      ),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect(busy.isEnded()).toBe(false);
    busy.stop.abort();
    await busy.all;
    expect(busy.log.lines).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that is aborted before its start never runs', async () => {
    let runs = 0;
    const stop = new AbortController();
    stop.abort();
    const plan = { timer: timer(async () => void runs++), cluster: 'a', everySeconds: 1, afterSeconds: 1 };
    await runTimers([plan], services, middle, collectingLog(), stop.signal);
    expect(runs).toBe(0);
  });
});
