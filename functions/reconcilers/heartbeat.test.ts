import { expect, test } from 'vitest';
import { manualClock } from '../../shared/base/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { createHeartbeats, heartbeatsOf } from './heartbeat.ts';

function aStore() {
  const clock = manualClock();
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  return { clock, state, beats: createHeartbeats({ state, clock }) };
}

test('runs that go well are written now and then, a failure and the first good run after it at once', async () => {
  const { clock, state, beats } = aStore();
  const last = async () => (await heartbeatsOf(state, 'east')).get('resync');
  const start = clock.now();
  await beats.note('resync', 'east', { everySeconds: 30 });
  clock.advance(30_000);
  await beats.note('resync', 'east', { everySeconds: 30 });
  expect(await last()).toEqual({ at: start, ok: true, everySeconds: 30 });

  await beats.note('resync', 'east', { everySeconds: 30, error: new Error('no') });
  expect(await last()).toEqual({ at: start + 30_000, ok: false, everySeconds: 30, error: 'no' });

  clock.advance(1000);
  await beats.note('resync', 'east', { everySeconds: 30 });
  expect(await last()).toEqual({ at: start + 31_000, ok: true, everySeconds: 30 });
});

test('a store that fails fails no run', async () => {
  const { clock, state } = aStore();
  const broken = { ...state, put: () => Promise.reject(new Error('full')) };

  await expect(
    createHeartbeats({ state: broken, clock }).note('resync', 'east', { everySeconds: 1 }),
  ).resolves.toBeUndefined();
});

test('one cluster does not see the runs of another whose name begins alike', async () => {
  const { state, beats } = aStore();
  await beats.note('resync', 'east-1', { everySeconds: 1 });

  expect(await heartbeatsOf(state, 'east')).toEqual(new Map());
});
