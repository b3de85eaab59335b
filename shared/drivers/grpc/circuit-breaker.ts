/** Stops asking a server that is in trouble: open after failures in a row, then a few calls as a test, all of which must succeed. */
import { defined } from '../../base/defined.ts';
import { type Failure, failed, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';

export interface BreakerOptions {
  failures: number;
  openSeconds: number;
  testCalls: number;
}

export const breakerDefaults: BreakerOptions = { failures: 10, openSeconds: 60, testCalls: 3 };

/** The code of a refusal: the call was not sent. */
export const circuitOpen = 'CircuitOpen';

export type BreakerState = 'closed' | 'half-open' | 'open';

export interface CircuitBreaker {
  readonly state: BreakerState;
  /** Undefined: the call may go. Exactly one of the two below must follow it. */
  refusal(): Result<never> | undefined;
  /** The server has answered, even if it refused. */
  answered(): void;
  /** @param why What was wrong, for those who are refused after it. */
  troubled(why?: Pick<Failure, 'message' | 'code'>): void;
  /** The caller gave up: that says nothing about the server. */
  abandoned(): void;
}

export function createCircuitBreaker(name: string, clock: Clock, options = breakerDefaults): CircuitBreaker {
  let failures = 0;
  let openUntil: number | undefined;
  let testing = 0;
  let passed = 0;
  let last: Pick<Failure, 'message' | 'code'> | undefined;

  const stateNow = (): BreakerState => {
    if (openUntil === undefined) return 'closed';
    return clock.monotonic() < openUntil ? 'open' : 'half-open';
  };

  const open = (): void => {
    openUntil = clock.monotonic() + options.openSeconds * 1000;
    testing = 0;
    passed = 0;
  };

  const refuse = (): Result<never> => {
    const seconds = Math.max(1, Math.ceil(((openUntil ?? 0) - clock.monotonic()) / 1000));
    const why = last === undefined ? '' : `: ${last.message}`;
    const message = `server ${name} failed ${failures} times in a row, and is called again in a minute or less${why}`;
    const more = { code: circuitOpen, retryAfterSeconds: seconds };
    return failed('unavailable', message, { ...more, ...defined({ reason: last?.code }) });
  };

  return {
    get state() {
      return stateNow();
    },
    refusal: () => {
      const state = stateNow();
      if (state === 'open') return refuse();
      if (state === 'half-open') {
        if (testing >= options.testCalls) return refuse();
        testing += 1;
      }
      return;
    },
    answered: () => {
      if (openUntil === undefined) {
        failures = 0;
        return;
      }
      passed += 1;
      if (passed < options.testCalls) return;
      openUntil = undefined;
      failures = 0;
    },
    troubled: (why) => {
      last = why;
      failures += 1;
      if (openUntil !== undefined ? stateNow() === 'half-open' : failures >= options.failures) open();
    },
    abandoned: () => {
      if (openUntil !== undefined) testing = Math.max(passed, testing - 1);
    },
  };
}
