import { expect, it } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import type { FunctionServices, TimerFunction } from '../../declaration.ts';
import { oneAtATime } from './one-at-a-time.ts';

function start(run: () => Promise<void>) {
  const clock = manualClock();
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:', onFatal: () => undefined }), clock });
  // Only what the mark needs.
  const services = { state, clock, ids: systemIds } as object as FunctionServices;
  const timer: TimerFunction = { name: 'resync', trigger: { type: 'timer', every: 'resync' }, run };
  const tick = (cluster: string) => oneAtATime(timer, 60_000).run(services, cluster, new AbortController().signal);
  return { clock, tick };
}

it('leaves a cluster alone for which another process is at work, and no other cluster', async () => {
  let runs = 0;
  const { promise: through, resolve } = Promise.withResolvers<void>();
  const { tick } = start(async () => {
    runs++;
    await through;
  });
  const first = tick('a');
  const other = tick('b');
  await expect.poll(() => runs).toBe(2);
  await tick('a');
  expect(runs).toBe(2);
  resolve();
  await Promise.all([first, other]);
  await tick('a');
  expect(runs).toBe(3);
});

it('begins anew after a run that failed, and after one whose process was lost when its time is over', async () => {
  let runs = 0;
  const { clock, tick } = start(async () => {
    runs++;
    if (runs === 1) throw new Error('broken');
    if (runs === 2) await new Promise(() => undefined);
  });
  await expect(tick('a')).rejects.toThrow('broken');
  void tick('a');
  await expect.poll(() => runs).toBe(2);
  await tick('a');
  expect(runs).toBe(2);
  clock.advance(60_001);
  await tick('a');
  expect(runs).toBe(3);
});
