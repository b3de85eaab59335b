/**
 * Keeps to the request buckets of a cloud. Within a process, calls stand in one line per action. Across processes (a hundred functions
 * at once) the actions that are shared draw from one bucket in state; of the others, which are many and cheap, each process counts its own.
 *
 * A wait of a few seconds is spent here. A longer one is answered `throttled`, with the time of the seat that is kept: then the
 * caller's workflow sleeps, and no function is paid for waiting.
 */

import { type Admission, type Bucket, draw, newBucket, type Rate, strike } from '../../base/pace/request-bucket.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock, Random } from '../../base/runtime.ts';
import { pause, systemTimers, type Timers } from '../../base/timers.ts';
import type { State } from '../../state/contract.ts';

/** Lets calls through as the cloud's request buckets allow. */
export interface RequestPace {
  /**
   * `throttled` when there is no room soon: the caller's workflow sleeps meanwhile, not this process. Where somebody is named, its
   * place in the line is kept until it comes again.
   */
  enter(action: string, who: string | undefined, signal: AbortSignal): Promise<Result<void>>;
  /** The same ahead of the call: whoever was let in here is not asked to wait when it enters. */
  reserve(action: string, who: string): Promise<Result<void>>;
  /** The cloud refused: others use up the bucket as well. */
  refused(action: string, retryAfterSeconds: number | undefined): void;
}

export interface PaceOptions {
  /** Whose limit it is, for people: `EC2`. */
  cloud: string;
  rateOf(action: string): Rate;
  /** Whether all processes draw from one bucket of this action, in state. */
  isShared(action: string): boolean;
  clock: Clock;
  random: Random;
  state: State;
  /** Under which the buckets of these calls are in state: the cloud, and a name for account and region. */
  scope: string;
  timers?: Timers;
  patienceMs?: number;
  /** How often a refusal slows the line down further; a cloud that says when it takes calls again needs little of it. */
  mostStrikes?: number;
}

const defaultPatienceMs = 3000;
/** After so many writes that others were quicker with, the caller had better come back. */
const mostConflicts = 12;
const bucketSeconds = 3600;
/** What was drawn and not used by then is no longer counted on: the bucket has filled again. */
const letInMs = 60_000;

interface Waiting {
  who: string | undefined;
  /** With the time at which the call may go. */
  resolve(result: Result<number>): void;
}

export function createPace(options: PaceOptions): RequestPace {
  const lines = new Map<string, Line>();
  const lineOf = (action: string): Line => {
    const known = lines.get(action) ?? new Line(action, options);
    lines.set(action, known);
    return known;
  };
  const { clock, timers } = options;
  /** Who was let in and has not called yet, and when it may. */
  const letIn = new Map<string, number>();
  const timeOf = (key: string): number | undefined => {
    const at = letIn.get(key);
    letIn.delete(key);
    return at !== undefined && clock.now() - at < letInMs ? at : undefined;
  };
  return {
    enter: async (action, who, signal) => {
      const reserved = who === undefined ? undefined : timeOf(`${action}/${who}`);
      const drawn = reserved === undefined ? await lineOf(action).draw(who) : ok(reserved);
      if (!drawn.ok) return drawn;
      const waitMs = drawn.value - clock.now();
      if (waitMs > 0) await pause(waitMs, signal, timers);
      return ok(undefined);
    },
    // The wait itself comes with the call: what is done in between counts towards it, and calls go out at their very times.
    reserve: async (action, who) => {
      const drawn = await lineOf(action).draw(who);
      if (!drawn.ok) return drawn;
      for (const [key, at] of letIn) if (clock.now() - at >= letInMs) letIn.delete(key);
      letIn.set(`${action}/${who}`, drawn.value);
      return ok(undefined);
    },
    refused: (action, retryAfterSeconds) => lineOf(action).refused(retryAfterSeconds),
  };
}

class Line {
  readonly #action: string;
  readonly #options: PaceOptions;
  readonly #rate: Rate;
  readonly #shared: boolean;
  #waiting: Waiting[] = [];
  #busy = false;
  /** Of a line that is not shared, or while state can't be reached. */
  #own: Bucket = newBucket();

  constructor(action: string, options: PaceOptions) {
    this.#action = action;
    this.#options = options;
    this.#rate = options.rateOf(action);
    this.#shared = options.isShared(action);
  }

  /** The time at which a call may go; `throttled` when that is too far away. */
  draw(who: string | undefined): Promise<Result<number>> {
    return new Promise((resolve) => {
      this.#waiting.push({ who, resolve });
      if (!this.#busy) void this.#serve();
    });
  }

  refused(retryAfterSeconds: number | undefined): void {
    const struck = (bucket: Bucket): Bucket =>
      strike(bucket, this.#options.clock.now(), (retryAfterSeconds ?? 0) * 1000, this.#options.mostStrikes);
    this.#own = struck(this.#own);
    if (this.#shared) void this.#change((bucket) => ({ bucket: struck(bucket), result: undefined }));
  }

  /** All that came while one draw was under way are drawn together: one write to state for many. */
  async #serve(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      const admissions = await this.#drawFor(all);
      for (const [index, waiting] of all.entries()) this.#admit(waiting, admissions?.[index]);
    }
    this.#busy = false;
  }

  async #drawFor(all: readonly Waiting[]): Promise<Admission[] | undefined> {
    const { clock, patienceMs = defaultPatienceMs } = this.#options;
    const drawAll = (before: Bucket): { bucket: Bucket; result: Admission[] } => {
      let bucket = before;
      const result = all.map(({ who }) => {
        const admission = draw(bucket, this.#rate, clock.now(), patienceMs, who);
        bucket = admission.bucket;
        return admission;
      });
      return { bucket, result };
    };
    if (this.#shared) return this.#change(drawAll);
    const { bucket, result } = drawAll(this.#own);
    this.#own = bucket;
    return result;
  }

  #admit({ resolve }: Waiting, admission: Admission | undefined): void {
    const { clock, patienceMs = defaultPatienceMs } = this.#options;
    if (admission === undefined) resolve(this.#full(1 + this.#options.random()));
    // A little before its time, because to come back takes time as well; it is waited for here then.
    else if ('comeBackMs' in admission) resolve(this.#full((admission.comeBackMs - patienceMs / 2) / 1000));
    else resolve(ok(clock.now() + admission.goMs));
  }

  #full(seconds: number): Result<never> {
    const { burst, perSecond } = this.#rate;
    const text = `${this.#action} is over the request rate of ${this.#options.cloud} (${burst} at once, ${perSecond} per second); the call is queued`;
    return failed('throttled', text, { retryAfterSeconds: Math.ceil(seconds * 1000) / 1000 });
  }

  /** Undefined: others were quicker every time. */
  async #change<T>(change: (bucket: Bucket) => { bucket: Bucket; result: T }): Promise<T | undefined> {
    const { state, scope, random, timers = systemTimers } = this.#options;
    const key = `${scope}/${this.#action}`;
    for (let tries = 0; tries < mostConflicts; tries++) {
      try {
        const entry = await state.get<Bucket>(key);
        const { bucket, result } = change(entry?.value ?? newBucket());
        const written = await state.put(key, bucket, { ifVersion: entry?.version ?? null, ttlSeconds: bucketSeconds });
        if (written !== undefined) return result;
      } catch {
        // Without state each process keeps to the bucket for itself; what is too much then, the cloud refuses, and that is no loss.
        const { bucket, result } = change(this.#own);
        this.#own = bucket;
        return result;
      }
      await pause(5 + random() * 20 * (tries + 1), new AbortController().signal, timers);
    }
    return undefined;
  }
}
