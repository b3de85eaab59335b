/**
 * Makes any sender patient: what could not be sent is sent again, with growing pauses, for as long as it takes. What comes
 * while a batch is under way travels together in the next one.
 *
 * It holds what its callers wait for and nothing else: a caller that waits for each `send` bounds it, so a queue that is away
 * for hours stops the caller instead of filling the memory.
 */
import { doubled, spread } from '../base/backoff.ts';
import { errorText } from '../base/error-text.ts';
import type { Random } from '../base/runtime.ts';
import { pause, type Timers } from '../base/timers.ts';
import { SendError, type Sender } from './contract.ts';

export interface PatientSenderOptions {
  to: Sender;
  random: Random;
  /** Ends it: whoever waits then gets an error. */
  signal: AbortSignal;
  /** Each failed try. */
  onFailure: (failure: { message: string; failures: number; pauseSeconds: number }) => void;
  onSent?: (messages: number) => void;
  /** Real ones unless a test brings its own. */
  timers?: Timers;
}

export interface PatientSender extends Sender {
  /** How many messages wait. */
  readonly pending: number;
  /** Why the last try failed; undefined when it did not. */
  readonly trouble: string | undefined;
}

interface Waiting {
  bodies: readonly string[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** More than a pause that a far side asks for is not believed: it may be back long before. */
const longestAskedMs = 120_000;
const largestBatch = 500;

export function patientSender(options: PatientSenderOptions): PatientSender {
  const { to, random, signal, onFailure, timers } = options;
  const waiting: Waiting[] = [];
  let pending = 0;
  let trouble: string | undefined;
  let running = false;

  const take = (): Waiting[] => {
    let messages = 0;
    let count = 0;
    while (count < waiting.length && (count === 0 || messages + (waiting[count]?.bodies.length ?? 0) <= largestBatch)) {
      messages += waiting[count]?.bodies.length ?? 0;
      count += 1;
    }
    return waiting.splice(0, count);
  };

  const settle = (batch: readonly Waiting[], how: (one: Waiting) => void): void => {
    for (const one of batch) {
      pending -= one.bodies.length;
      how(one);
    }
  };

  /** Until it is sent, is refused for good, or the signal fires. */
  const deliver = async (batch: Waiting[]): Promise<void> => {
    for (let failures = 1; ; failures++) {
      if (signal.aborted) return settle(batch, ({ reject }) => reject(new SendError('the sender was stopped')));
      try {
        await to.send(batch.flatMap(({ bodies }) => bodies));
        trouble = undefined;
        options.onSent?.(batch.reduce((sum, { bodies }) => sum + bodies.length, 0));
        return settle(batch, ({ resolve }) => resolve());
      } catch (error) {
        // A message that no try can get through must not hold up those that it happened to travel with.
        if (error instanceof RangeError && batch.length > 1) {
          for (const one of batch) await deliver([one]);
          return;
        }
        if (error instanceof RangeError) return settle(batch, ({ reject }) => reject(error));
        const wait = pauseAfter(failures, error instanceof SendError ? error.retryAfterSeconds : undefined, random);
        trouble = errorText(error);
        if (!signal.aborted) onFailure({ message: trouble, failures, pauseSeconds: Math.round(wait / 100) / 10 });
        await pause(wait, signal, timers);
      }
    }
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (waiting.length > 0) await deliver(take());
    running = false;
  };

  return {
    name: to.name,
    get pending() {
      return pending;
    },
    get trouble() {
      return trouble;
    },
    send: (bodies) => {
      if (bodies.length === 0) return Promise.resolve();
      return new Promise<void>((resolve, reject) => {
        pending += bodies.length;
        waiting.push({ bodies, resolve, reject });
        // In a later turn, so that what is sent in this one shares a batch.
        queueMicrotask(() => void run());
      });
    },
  };
}

function pauseAfter(failures: number, askedSeconds: number | undefined, random: Random): number {
  const own = spread(doubled(failures, firstPauseMs, longestPauseMs), random);
  return Math.max(own, Math.min((askedSeconds ?? 0) * 1000, longestAskedMs));
}
