import { expect, test } from 'vitest';
import { httpWorld } from '../../../test/http/world.ts';
import type { TimerFunction } from '../../declaration.ts';
import { heartbeatsOf } from '../../reconcilers/heartbeat.ts';
import { withHeartbeat } from './with-heartbeat.ts';

const timer = (run: TimerFunction['run']): TimerFunction =>
  withHeartbeat({ name: 'resync', trigger: { type: 'timer', every: 'resync' }, run }, () => 60);
const never = new AbortController().signal;

test('a run that throws is noted and still throws', async () => {
  const { services } = httpWorld();

  await expect(timer(() => Promise.reject(new Error('no'))).run(services, 'production', never)).rejects.toThrow('no');

  expect((await heartbeatsOf(services.state, 'production')).get('resync')).toMatchObject({ ok: false, error: 'no' });
});

test('a run that was told to stop is not noted', async () => {
  const { services } = httpWorld();

  await timer(async () => undefined).run(services, 'production', AbortSignal.abort());

  expect(await heartbeatsOf(services.state, 'production')).toEqual(new Map());
});
