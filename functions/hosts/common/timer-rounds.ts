/**
 * One tick of a timer trigger serves all clusters side by side. The platform runs a timer once at a time, so a round must end
 * even when a cluster does not: whatever still runs when the round's time is over goes on behind it, up to a limit of its own, and
 * its cluster sits out the next rounds until then. So one silent cluster holds up no other. Where nothing can go on behind a round,
 * because the process stands still until the next call, it is given up instead, and begun anew at the next tick.
 */
import { errorText } from '../../../shared/base/error-text.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { FunctionServices, TimerFunction } from '../../declaration.ts';

export interface TimerCluster {
  name: string;
  /** Its own interval; at least that of the tick. */
  everySeconds: number;
}

export interface Round {
  timer: TimerFunction;
  clusters: readonly TimerCluster[];
  /** The distance between two ticks. */
  tick: { readonly seconds: number };
  /** After so long whatever still runs is given up: nothing may go on behind the round. */
  endsAfterMs?: number;
}

/** A cluster whose run failed, or was given up, within the round. */
export interface FailedRun {
  cluster: string;
  problem: string;
}

/** A round ends well before the next tick is due. */
const roundShare = 0.8;
/** However far the next tick is: well below the time after which the platform ends the whole worker (`functionTimeout`). */
export const longestRoundSeconds = 300;
/** A list of ten thousand claims takes minutes; what takes longer than this hangs. */
const clusterLimitSeconds = 600;

export class TimerRounds {
  /** By timer and cluster: what is under way, in this worker. */
  readonly #running = new Map<string, Promise<FailedRun | undefined>>();
  readonly #services: FunctionServices;

  constructor(services: FunctionServices) {
    this.#services = services;
  }

  /** @returns What failed; of what goes on behind the round nobody knows yet. */
  async run({ timer, clusters, tick, endsAfterMs }: Round): Promise<FailedRun[]> {
    const limitMs = endsAfterMs ?? clusterLimitSeconds * 1000;
    const begun = clusters.map((cluster) => {
      const key = `${timer.name}/${cluster.name}`;
      if (this.#running.has(key)) return undefined;
      const run = this.#runIfDue(key, timer, cluster, tick, limitMs).finally(() => this.#running.delete(key));
      this.#running.set(key, run);
      return run;
    });
    const failed: FailedRun[] = [];
    const all = Promise.all(
      begun.map(async (run) => {
        const failure = await run;
        if (failure) failed.push(failure);
      }),
    );
    if (endsAfterMs !== undefined) await all;
    else await withinTime(all, Math.min(tick.seconds * roundShare, longestRoundSeconds) * 1000);
    return failed;
  }

  /** What still runs behind its round; for an orderly end, and for tests. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Only a cluster with an interval longer than the tick's needs to remember when it ran last. */
  async #isDue(key: string, { everySeconds }: TimerCluster, { seconds }: Round['tick']): Promise<boolean> {
    if (everySeconds < seconds * 1.5) return true;
    const { state, clock } = this.#services;
    const last = await state.get<number>(`timer/${key}`);
    // Ticks come a little early and a little late; half of one decides which is meant.
    if (last && isWithin(clock, last.value, everySeconds - seconds / 2)) return false;
    await state.put(`timer/${key}`, clock.now(), { ttlSeconds: everySeconds * 2 });
    return true;
  }

  async #runIfDue(
    key: string,
    timer: TimerFunction,
    cluster: TimerCluster,
    tick: Round['tick'],
    limitMs: number,
  ): Promise<FailedRun | undefined> {
    const late = new AbortController();
    const limit = setTimeout(() => {
      late.abort(new Error(`not finished after ${Math.round(limitMs / 1000)} seconds`));
    }, limitMs);
    // The worker may stop without it.
    limit.unref();
    try {
      if (!(await this.#isDue(key, cluster, tick))) return undefined;
      await Promise.race([timer.run(this.#services, cluster.name, late.signal), aborted(late.signal)]);
      return undefined;
    } catch (error) {
      const log = this.#services.log.child({ cluster: cluster.name, function: timer.name });
      log.write('timer.failed', { error });
      return { cluster: cluster.name, problem: errorText(error) };
    } finally {
      clearTimeout(limit);
    }
  }
}

const isWithin = (clock: Clock, time: number, seconds: number): boolean =>
  clock.now() >= time && clock.now() - time < seconds * 1000;

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

function withinTime(work: Promise<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    work.then(() => resolve(), reject).finally(() => clearTimeout(timer));
  });
}
