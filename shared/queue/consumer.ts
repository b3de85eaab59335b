/**
 * The loop with which a local host drives a queue's handler. On the clouds the platform does this.
 *
 * - At most `concurrency` messages are handled at a time, and no message is received before there is room for it.
 * - One group of messages never has all handlers: what is over its part is not received, so it uses up no delivery and is in
 *   nobody's way.
 * - A handler that throws or hangs costs its own message a growing delay, and nobody else anything.
 * - A slow handler keeps its message: the visibility is extended while it runs.
 * - `stop` receives nothing more and resolves when the running handlers have ended.
 */
import { doubled } from '../base/backoff.ts';
import type { Clock } from '../base/runtime.ts';
import { systemTimers, type Timers } from '../base/timers.ts';
import type { Handled, Message, Queue, Room } from './contract.ts';
import { FairShare } from './fair-share.ts';

/** `failed`: it threw. `timed-out`: it took too long. `lost`: somebody else got the message meanwhile. */
export type SettledAs = 'done' | 'retried' | 'dead' | 'failed' | 'timed-out' | 'lost' | 'unsettled';

/** Everything the consumer ever says. */
const messages = {
  'receive-failed': 'receiving from the queue failed',
  lost: 'another consumer has received the message in the meantime',
  'settle-failed': 'settling the message failed; the queue delivers it again after its timeout',
  'handler-failed': 'the handler failed',
  'dead-lettered': 'the message was dead-lettered',
  'extend-failed': 'extending the visibility failed',
} as const;

export type ConsumerEvent = keyof typeof messages;

export interface ConsumerLog {
  /** `message` is `event` in words. */
  warn(fields: object, message: string, event: ConsumerEvent): void;
}

export interface ConsumerMetrics {
  received?(count: number): void;
  settled?(as: SettledAs, milliseconds: number): void;
  /** The queue itself failed: a receive or a settlement. */
  queueFailed?(): void;
}

export interface ConsumerOptions {
  /** Drivers that can tell when something arrives are not polled. */
  queue: Queue & {
    onSend?(listener: () => void): () => void;
    nextVisibleAt?(options: { room: Room }): Promise<number | undefined>;
  };
  /** The signal says that the time is over; what the handler does afterwards no longer counts. */
  handle(message: Message, signal: AbortSignal): Promise<Handled>;
  clock: Clock;
  log: ConsumerLog;
  /** The queue's own visibility timeout: a running handler extends it at half of that. */
  visibilitySeconds: number;
  /** Most messages in one receive (default 10). */
  batch?: number;
  /** Most messages being handled (default 16). */
  concurrency?: number;
  /** Most messages of one group being handled (default: all). */
  perGroup?: number;
  /** A handler that takes longer is given up (default 300). */
  handlerSeconds?: number;
  /** Delay after the first throw, doubled with every further one up to the maximum (default 1 and 300). */
  firstRetrySeconds?: number;
  maxRetrySeconds?: number;
  /** An idle queue is looked at this often at the latest (default 30; 1 for a driver that can't tell). */
  idleSeconds?: number;
  metrics?: ConsumerMetrics;
  timers?: Timers;
}

export interface Consumer {
  /** How many messages are being handled. */
  readonly running: number;
  /** Look at the queue now. */
  wake(): void;
  stop(): Promise<void>;
}

export function startConsumer(options: ConsumerOptions): Consumer {
  const { queue, handle, clock, log, visibilitySeconds, metrics = {}, timers = systemTimers } = options;
  const warn = (fields: object, event: ConsumerEvent): void => log.warn(fields, messages[event], event);
  const { batch = 10, concurrency = 16, handlerSeconds = 300, firstRetrySeconds = 1, maxRetrySeconds = 300 } = options;
  const idleSeconds = options.idleSeconds ?? (queue.onSend && queue.nextVisibleAt ? 30 : 1);
  const share = new FairShare(options.perGroup ?? concurrency);
  const { room } = share;
  const running = new Set<Promise<void>>();
  let stopped = false;
  let looking: Promise<void> | undefined;
  /** Something happened while we looked: the answer may be old, look once more. */
  let lookAgain = false;
  let receiveFailures = 0;
  let cancelPause = () => {};

  const retrySeconds = (failures: number): number => doubled(failures, firstRetrySeconds, maxRetrySeconds);

  function wake(): void {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    cancelPause();
    looking = look().finally(() => {
      looking = undefined;
      if (lookAgain && hasRoom()) wake();
    });
  }

  async function look(): Promise<void> {
    try {
      while (!stopped && hasRoom()) {
        lookAgain = false;
        const messages = await queue.receive(Math.min(batch, concurrency - running.size), { room });
        receiveFailures = 0;
        if (messages.length > 0) metrics.received?.(messages.length);
        for (const message of messages) begin(message);
        if (messages.length > 0 || lookAgain) continue;
        const next = await queue.nextVisibleAt?.({ room });
        const wait = next === undefined ? idleSeconds * 1000 : next - clock.now();
        if (!stopped) pause(Math.min(Math.max(wait, 0), idleSeconds * 1000));
        return;
      }
      // No room: whoever ends next looks again.
    } catch (error) {
      receiveFailures++;
      metrics.queueFailed?.();
      warn({ queue: queue.name, err: error, failures: receiveFailures }, 'receive-failed');
      if (!stopped) pause(retrySeconds(receiveFailures) * 1000);
    }
  }

  function pause(milliseconds: number): void {
    cancelPause = timers.after(milliseconds, wake);
  }

  function hasRoom(): boolean {
    return running.size < concurrency;
  }

  function begin(message: Message): void {
    const { group = '' } = message;
    share.began(group);
    const work = run(message).finally(() => {
      running.delete(work);
      share.ended(group);
      wake();
    });
    running.add(work);
  }

  /** Never rejects. */
  async function run(message: Message): Promise<void> {
    const startedAt = clock.monotonic();
    const keeping = keep(message);
    let as: SettledAs = 'unsettled';
    try {
      const outcome = await decide(message);
      keeping.stop();
      as = await settle(message, outcome);
      if (as === 'lost') warn(about(message), 'lost');
    } catch (error) {
      metrics.queueFailed?.();
      warn({ ...about(message), err: error }, 'settle-failed');
    } finally {
      keeping.stop();
    }
    metrics.settled?.(as, clock.monotonic() - startedAt);
  }

  type Decision = Handled | { failure: string; as: 'failed' | 'timed-out' };

  /** What the handler says, or that it threw, or that its time is over. */
  function decide(message: Message): Promise<Decision> {
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Decision>();
    const cancelLimit = timers.after(handlerSeconds * 1000, () => {
      const failure = `the handler took longer than ${handlerSeconds} s`;
      resolve({ failure, as: 'timed-out' });
      abort.abort(new Error(failure));
    });
    const handled = async (): Promise<Decision> => {
      try {
        return await handle(message, abort.signal);
      } catch (error) {
        warn({ ...about(message), err: error }, 'handler-failed');
        return { failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error), as: 'failed' };
      }
    };
    handled().then(resolve);
    return promise.finally(cancelLimit);
  }

  async function settle(message: Message, decision: Decision): Promise<SettledAs> {
    if (decision === 'done') return (await queue.complete(message)) ? 'done' : 'lost';
    if ('dead' in decision) {
      warn({ ...about(message), reason: decision.dead }, 'dead-lettered');
      return (await queue.deadLetter(message, decision.dead)) ? 'dead' : 'lost';
    }
    const failed = 'failure' in decision;
    const reason = failed ? decision.failure : decision.reason;
    const delaySeconds = failed ? retrySeconds(message.receiveCount) : decision.retryAfterSeconds;
    if (!(await queue.abandon(message, { delaySeconds, reason }))) return 'lost';
    return failed ? decision.as : 'retried';
  }

  /** Extends the visibility until it is stopped or the message belongs to somebody else. */
  function keep(message: Message): { stop(): void } {
    let ended = false;
    let cancel = () => {};
    const again = () => {
      cancel = timers.after((visibilitySeconds * 1000) / 2, async () => {
        try {
          if (!(await queue.extend(message, visibilitySeconds))) return;
        } catch (error) {
          metrics.queueFailed?.();
          warn({ ...about(message), err: error }, 'extend-failed');
        }
        if (!ended) again();
      });
    };
    again();
    return {
      stop: () => {
        ended = true;
        cancel();
      },
    };
  }

  const about = (message: Message) => ({ queue: queue.name, message: message.id, receiveCount: message.receiveCount });

  const stopListening = queue.onSend?.(wake);
  wake();

  return {
    get running() {
      return running.size;
    },
    wake,
    async stop() {
      stopped = true;
      stopListening?.();
      cancelPause();
      // What was being received when we stopped is ours already: it is handled too, not left to time out.
      await looking;
      while (running.size > 0) await Promise.all(running);
    },
  };
}
