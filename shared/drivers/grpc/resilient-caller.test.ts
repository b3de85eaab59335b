import { describe, expect, it } from 'vitest';
import { failed, ok } from '../../base/result.ts';
import { manualClock, seededRandom } from '../../base/runtime.ts';
import type { Channel } from './channel.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type ResilientOptions, resilientCaller } from './resilient-caller.ts';
import type { ServerSaid } from './status.ts';

const never = new AbortController().signal;

/** Answers in this order; the last one again and again. */
function caller(answers: (ServerSaid | 'ok')[], changes: Partial<ResilientOptions> = {}) {
  const clock = manualClock();
  const seen: { call: string; seconds: number }[] = [];
  const waits: number[] = [];
  const channel = {
    call: async (call: string, _: unknown, { seconds }: { seconds: number }) => {
      seen.push({ call, seconds });
      const answer = answers[Math.min(seen.length, answers.length) - 1]!;
      return answer === 'ok' ? { ok: true, value: {} } : { ok: false, said: answer, abandoned: false };
    },
    close: () => undefined,
  } as unknown as Channel;
  const timers = {
    after: (milliseconds: number, callback: () => void) => {
      waits.push(milliseconds);
      clock.advance(milliseconds);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const breaker = createCircuitBreaker('a', clock);
  const enter = async () => ok(undefined);
  const call = resilientCaller({ channel, breaker, enter, clock, random: seededRandom(1), timers, ...changes });
  return { call, seen, waits, breaker };
}

const away = { code: 14, details: 'connection refused' };

describe('calls to a provider server', () => {
  it('repeats what changes nothing, with growing pauses', async () => {
    const { call, seen, waits } = caller([away, away, 'ok']);
    expect(await call('Describe', { id: 'x' }, never)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(3);
    expect(waits[1]).toBeGreaterThan(waits[0]! * 0.99);
  });

  it('gives up after five tries', async () => {
    const { call, seen } = caller([away]);
    expect(await call('ListVMs', {}, never)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    expect(seen).toHaveLength(5);
  });

  it('never repeats a write, and leaves open whether it happened', async () => {
    const { call, seen } = caller([away]);
    expect(await call('Create', { name: 'x' }, never)).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } });
    expect(seen).toEqual([{ call: 'Create', seconds: 300 }]);
  });

  it('never repeats what the server refuses', async () => {
    const { call, seen } = caller([{ code: 5, details: 'gone' }]);
    expect(await call('Describe', { id: 'x' }, never)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    expect(seen).toHaveLength(1);
  });

  it('stops asking a server in trouble, and then nothing has been written', async () => {
    const { call, seen, breaker } = caller([away]);
    for (let i = 0; i < 10; i++) await call('Create', { name: 'x' }, never);
    expect(breaker.state).toBe('open');
    expect(await call('Create', { name: 'x' }, never)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    expect(seen).toHaveLength(10);
  });

  it('stays closed for what is wrong with the hypervisor or the request', async () => {
    const { call, breaker } = caller([{ code: 2, details: 'operation failed: domain not found' }]);
    for (let i = 0; i < 20; i++) await call('Power', { id: 'x' }, never);
    expect(breaker.state).toBe('closed');
  });

  it('asks nothing while there is no room', async () => {
    const { call, seen } = caller(['ok'], { enter: async () => failed('throttled', 'full', { retryAfterSeconds: 2 }) });
    expect(await call('Describe', { id: 'x' }, never)).toMatchObject({ ok: false, error: { kind: 'throttled' } });
    expect(seen).toEqual([]);
  });

  it('keeps to the deadlines that were set', async () => {
    const { call, seen } = caller(['ok'], { seconds: { Describe: 7 } });
    await call('Describe', { id: 'x' }, never);
    expect(seen).toEqual([{ call: 'Describe', seconds: 7 }]);
  });
});
