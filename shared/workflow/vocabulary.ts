/**
 * The words in which workflows are written. A workflow is a synchronous generator that yields these plain-data commands
 * and nothing else: no clock, no chance, no I/O. The vocabulary is no wider than what Durable Functions, Lambda durable
 * functions and our journal all do well, so one workflow runs on all of them.
 *
 * @example
 * const hello = defineWorkflow({ name: 'hello', version: 1, *run(input: { who: string }) {
 *   const greeting = yield* call<string>('greet', { who: input.who });
 *   yield* sleep(5);
 *   return greeting;
 * } });
 */
import type { Json } from '../base/json.ts';

/** Retries of a call that throws. An expected failure is a returned value and is never retried by the engine. */
export interface Retry {
  /** Executions in all, the first one included. */
  max: number;
  firstSeconds: number;
  factor?: number;
  capSeconds?: number;
}

export interface CallCommand {
  kind: 'call';
  activity: string;
  input: Json;
  retry?: Retry;
}

/**
 * Ask an activity again and again until it answers `{ done: true, value }`. One command and one journal row, however many
 * rounds. `{ done: false, retryAfterSeconds }` sets the next pause; a round that throws is one without an answer; the
 * last look is at the deadline itself.
 */
export interface PollCommand {
  kind: 'poll';
  activity: string;
  input: Json;
  everySeconds: number;
  forSeconds: number;
}

export interface SleepCommand {
  kind: 'sleep';
  seconds: number;
}

export type LeafCommand = CallCommand | PollCommand | SleepCommand;

export type Command =
  | LeafCommand
  | { kind: 'all'; items: LeafCommand[] }
  | { kind: 'wait-signal'; name: string; forSeconds: number }
  | { kind: 'now' };

/** What `run` returns: a generator of commands whose result is JSON. */
export type Steps<T> = Generator<Command, T, unknown>;

/** Serves both as `yield* call(…)` and as an element of `all([...])`. */
export interface Lazy<T> {
  readonly command: LeafCommand;
  [Symbol.iterator](): Steps<T>;
}

export type PollOutcome<T> = { done: true; value: T } | { done: false };

/** How an element of `all` ended; one that throws never hides its siblings. */
export type Settled<T> = { ok: true; value: T } | { ok: false; error: string };

function lazy<T>(command: LeafCommand): Lazy<T> {
  return {
    command,
    *[Symbol.iterator]() {
      return (yield command) as T;
    },
  };
}

export const call = <T>(activity: string, input: Json, retry?: Retry): Lazy<T> =>
  lazy({ kind: 'call', activity, input, ...(retry ? { retry } : {}) });

export const poll = <T>(
  activity: string,
  input: Json,
  every: { everySeconds: number; forSeconds: number },
): Lazy<PollOutcome<T>> => lazy({ kind: 'poll', activity, input, ...every });

export const sleep = (seconds: number): Lazy<void> => lazy({ kind: 'sleep', seconds });

export function* all<T extends readonly Lazy<unknown>[]>(
  items: readonly [...T],
): Steps<{ [K in keyof T]: T[K] extends Lazy<infer U> ? Settled<U> : never }> {
  const settled = yield { kind: 'all', items: items.map((item) => item.command) };
  return settled as { [K in keyof T]: T[K] extends Lazy<infer U> ? Settled<U> : never };
}

/** A signal carries nothing: it means "look again now". Returns true if one came, false when the time is over. */
export function* waitSignal(name: string, forSeconds: number): Steps<boolean> {
  return (yield { kind: 'wait-signal', name, forSeconds }) as boolean;
}

/** The time at which this step was first taken, in milliseconds; the same on every replay. */
export function* now(): Steps<number> {
  return (yield { kind: 'now' }) as number;
}

export interface Workflow<Input extends Json = Json, Output extends Json = Json> {
  readonly name: string;
  /** Raise it whenever the sequence of commands changes: a history of another version is closed and started afresh. */
  readonly version: number;
  run(input: Input): Steps<Output>;
}

export const defineWorkflow = <Input extends Json, Output extends Json>(
  workflow: Workflow<Input, Output>,
): Workflow<Input, Output> => workflow;
