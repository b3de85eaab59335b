/** Runs activities: each with a copy of its input, a signal and a hard time limit; whatever comes of it is an answer. */

import type { Timers } from '../../base/timers.ts';
import type { Answer } from '../progress.ts';
import { record } from '../recordable.ts';
import { messageOf } from '../thread.ts';
import type { CallCommand, PollCommand } from '../vocabulary.ts';
import type { AnyActivity } from './options.ts';

interface ExecutionOptions {
  activities: Readonly<Record<string, AnyActivity>>;
  timers: Timers;
  deadlineSeconds: number;
  maxResultBytes: number;
}

export class Executions {
  readonly #options: ExecutionOptions;
  readonly #aborts = new Set<(reason: Error) => void>();

  constructor(options: ExecutionOptions) {
    this.#options = options;
  }

  async run(workflowId: string, leaf: CallCommand | PollCommand, execution: number): Promise<Answer> {
    const { activities, timers, deadlineSeconds, maxResultBytes } = this.#options;
    const { activity } = leaf;
    const input = record(leaf.input, `the input of activity "${activity}"`, maxResultBytes);
    if (!input.ok) return { ok: false, error: input.error, final: true };
    const controller = new AbortController();
    // An activity that ignores its signal must not hold its place for ever.
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (reason: Error) => {
      controller.abort(reason);
      reject(reason);
    };
    this.#aborts.add(abort);
    const cancel = timers.after(deadlineSeconds * 1000, () =>
      abort(new Error(`activity "${activity}" did not finish within ${deadlineSeconds} s`)),
    );
    try {
      const context = { workflowId, activity, execution, signal: controller.signal };
      const run = async () => activities[activity]!(input.value, context);
      const value = await Promise.race([run(), aborted]);
      const result = record(value, `the result of activity "${activity}"`, maxResultBytes);
      return result.ok ? { ok: true, value: result.value } : { ok: false, error: result.error, final: true };
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    } finally {
      cancel();
      this.#aborts.delete(abort);
    }
  }

  abortAll(): void {
    for (const abort of this.#aborts) abort(new Error('the engine stops'));
  }
}
