/**
 * Calls with a deadline each, a limit on how many go out, a circuit breaker, and repeats of what changes nothing. A write is never repeated here:
 * the workflow that asked for it looks first.
 */
import { pauseSeconds } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import type { Clock, Random } from '../../base/runtime.ts';
import { pause, type Timers } from '../../base/timers.ts';
import type { CallName, RequestOf, ResponseOf } from '../protocol/service.ts';
import { type Caller, taskGoesOn } from './caller.ts';
import type { Channel } from './channel.ts';
import type { BreakerState, CircuitBreaker } from './circuit-breaker.ts';
import { deadlineSeconds, isWrite } from './deadlines.ts';
import { failureOf, isServerTrouble, type ServerSaid } from './status.ts';

export interface CallOutcome {
  call: CallName;
  /** Of gRPC; 0 is success. */
  code: number;
  seconds: number;
}

export interface ResilientOptions {
  channel: Channel;
  breaker: CircuitBreaker;
  /** Waits for room under the limit of calls per second; `throttled` if there is none soon. */
  enter(call: CallName, signal: AbortSignal): Promise<Result<void>>;
  clock: Clock;
  random: Random;
  timers: Timers;
  /** Of one operation of the caller, for the logs of the server. */
  correlationId?(): string | undefined;
  /** Deadlines that the configuration changes. */
  seconds?: Partial<Record<CallName, number>>;
  tries?: number;
  onEnded?(outcome: CallOutcome): void;
  /** After each call. */
  onBreaker?(state: BreakerState): void;
}

const usualTries = 5;
const deadlineExceeded = 4;
const backoff = { firstSeconds: 0.5, maxSeconds: 30 };

export function resilientCaller(options: ResilientOptions): Caller {
  const { channel, breaker, clock, random, timers, tries = usualTries } = options;

  async function once<C extends CallName>(
    name: C,
    request: Partial<RequestOf<C>>,
    signal: AbortSignal,
  ): Promise<{ result: Result<ResponseOf<C>>; mayRepeat: boolean }> {
    const room = await options.enter(name, signal);
    if (!room.ok) return { result: room, mayRepeat: false };
    const refused = breaker.refusal();
    if (refused !== undefined) return { result: refused, mayRepeat: false };
    const from = clock.monotonic();
    const correlationId = options.correlationId?.();
    const answer = await channel.call(name, request, {
      seconds: options.seconds?.[name] ?? deadlineSeconds[name],
      signal,
      ...(correlationId === undefined ? {} : { correlationId }),
    });
    const code = answer.ok ? 0 : answer.said.code;
    options.onEnded?.({ call: name, code, seconds: (clock.monotonic() - from) / 1000 });
    if (answer.ok) {
      breaker.answered();
      return { result: ok(answer.value), mayRepeat: false };
    }
    if (name === 'TaskStatus' && code === deadlineExceeded && !answer.abandoned) {
      // Some servers answer only when the task has ended: that it goes on is no trouble of theirs.
      breaker.abandoned();
      return { result: failed('unavailable', answer.said.details, { code: taskGoesOn }), mayRepeat: false };
    }
    const { kind, message, ...more } = failureOf(answer.said, isWrite(name));
    report(answer.said, answer.abandoned, { message, ...defined({ code: more.code }) });
    return { result: failed(kind, message, more), mayRepeat: kind === 'unavailable' && !answer.abandoned };
  }

  function report(said: ServerSaid, abandoned: boolean, why: Pick<Failure, 'message' | 'code'>): void {
    if (abandoned) breaker.abandoned();
    else if (isServerTrouble(said)) breaker.troubled(why);
    else breaker.answered();
  }

  return async (name, request, signal) => {
    for (let failures = 1; ; failures++) {
      const { result, mayRepeat } = await once(name, request, signal);
      options.onBreaker?.(breaker.state);
      if (result.ok || !mayRepeat || isWrite(name) || failures >= tries) return result;
      const { retryAfterSeconds } = result.error;
      await pause(pauseSeconds(failures, { ...backoff, random, retryAfterSeconds }) * 1000, signal, timers);
      if (signal.aborted) return result;
    }
  };
}
