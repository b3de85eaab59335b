/** The activity side of drivers on a platform's own engine: no part of it needs that platform's library. */

import type { Json } from '../base/json.ts';
import { systemTimers, type Timers } from '../base/timers.ts';
import type { ActivityContext } from './contract.ts';
import { serveMailbox } from './mailbox.ts';
import type { ActivityAnswer, ActivityPayload, MailboxPayload } from './payloads.ts';
import { record } from './recordable.ts';
import type { Records } from './records.ts';
import { messageOf } from './thread.ts';

/** Any input type fits: a method's parameters are compared both ways. */
type AnyActivity = { run(input: Json, context: ActivityContext): Promise<Json> }['run'];

export interface RunActivityOptions {
  /** Below the time limit of the function, so that the answer is ours. */
  deadlineSeconds?: number;
  maxResultBytes?: number;
  timers?: Timers;
}

export const defaultMaxResultBytes = 65_536;

/**
 * Runs one activity on behalf of its function.
 * @param payload What the trigger brought.
 * @returns What the function must return.
 */
export async function runActivity(
  name: string,
  activity: AnyActivity,
  payload: unknown,
  options: RunActivityOptions = {},
): Promise<ActivityAnswer> {
  const { deadlineSeconds = 120, maxResultBytes = defaultMaxResultBytes, timers = systemTimers } = options;
  const { id, execution, input } = payload as ActivityPayload;
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = timers.after(deadlineSeconds * 1000, () => {
    const reason = new Error(`activity "${name}" did not finish within ${deadlineSeconds} s`);
    controller.abort(reason);
    reject(reason);
  });
  try {
    const context = { workflowId: id, activity: name, execution, signal: controller.signal };
    const value = await Promise.race([(async () => activity(input, context))(), late]);
    const result = record(value, `the result of activity "${name}"`, maxResultBytes);
    return result.ok ? { ok: true, value: result.value } : { ok: false, error: result.error, final: true };
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  } finally {
    cancel();
  }
}

/** What the mailbox function does. */
export async function runMailbox(records: Records, payload: unknown): Promise<ActivityAnswer> {
  try {
    return { ok: true, value: await serveMailbox(records, payload as MailboxPayload) };
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  }
}
