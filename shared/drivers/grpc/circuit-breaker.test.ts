import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';

function opened() {
  const clock = manualClock();
  const breaker = createCircuitBreaker('a', clock, { failures: 3, openSeconds: 60, testCalls: 2 });
  const call = (ending: 'answered' | 'troubled' | 'abandoned'): boolean => {
    if (breaker.refusal() !== undefined) return false;
    breaker[ending]();
    return true;
  };
  return { clock, breaker, call };
}

describe('a circuit breaker', () => {
  it('opens after failures in a row, and says when the next call follows', () => {
    const { breaker, call, clock } = opened();
    call('troubled');
    call('troubled');
    call('answered');
    for (let i = 0; i < 3; i++) expect(call('troubled')).toBe(true);
    expect(breaker.state).toBe('open');
    clock.advance(20_000);
    expect(breaker.refusal()).toMatchObject({
      error: { kind: 'unavailable', code: 'CircuitOpen', retryAfterSeconds: 40 },
    });
  });

  it('closes when all calls of the test succeed', () => {
    const { breaker, call, clock } = opened();
    for (let i = 0; i < 3; i++) call('troubled');
    clock.advance(60_000);
    expect(breaker.state).toBe('half-open');
    expect([call('answered'), breaker.state]).toEqual([true, 'half-open']);
    expect([call('answered'), breaker.state]).toEqual([true, 'closed']);
    expect(call('troubled')).toBe(true);
    expect(breaker.state).toBe('closed');
  });

  it('opens again when one call of the test fails', () => {
    const { breaker, call, clock } = opened();
    for (let i = 0; i < 3; i++) call('troubled');
    clock.advance(60_000);
    call('answered');
    call('troubled');
    expect(breaker.state).toBe('open');
  });

  it('lets no more calls through as a test than it counts, and gives back the place of an abandoned one', () => {
    const { breaker, call, clock } = opened();
    for (let i = 0; i < 3; i++) call('troubled');
    clock.advance(60_000);
    expect(breaker.refusal()).toBeUndefined();
    expect(breaker.refusal()).toBeUndefined();
    expect(breaker.refusal()).toBeDefined();
    breaker.abandoned();
    expect(call('answered')).toBe(true);
    breaker.answered();
    expect(breaker.state).toBe('closed');
  });
});
