/**
 * What happens inside one command while it is open: retries, rounds of a poll, the items of `all`. Pure rules over plain
 * data, so that every engine of ours counts attempts and deadlines alike.
 */
import type { Json } from '../base/json.ts';
import { leavesOf, type Outcome } from './thread.ts';
import type { CallCommand, Command, LeafCommand, PollCommand, Settled } from './vocabulary.ts';

export interface Item {
  /** When it next needs attention: to be executed, or to end (sleep, wait-signal). */
  due: number;
  /** When the command was taken; the deadline of a poll counts from here, over any restart. */
  since: number;
  executions: number;
  /** Executions that threw; this is what a retry policy counts. */
  failures: number;
  /** How often in a row the process died while this item was executing. */
  kills: number;
  executing: boolean;
  outcome?: Outcome;
}

/** What came of one execution. `final` errors are no use retrying: the result itself can't be kept. */
export type Answer = { ok: true; value: Json } | { ok: false; error: string; final?: boolean };

/** The items of a command that has just been taken. `wait-signal` is one item whose due time is its deadline. */
export function openItems(command: Command, now: number): Item[] {
  const open = (afterSeconds: number): Item => ({
    due: now + afterSeconds * 1000,
    since: now,
    executions: 0,
    failures: 0,
    kills: 0,
    executing: false,
  });
  if (command.kind === 'wait-signal') return [open(command.forSeconds)];
  return leavesOf(command).map((leaf) => open(leaf.kind === 'sleep' ? leaf.seconds : 0));
}

/** The outcome of a command that needs no waiting at all, if it is such a one. */
export function instantOutcome(command: Command, now: number): Outcome | undefined {
  if (command.kind === 'now') return { ok: true, value: now };
  if (command.kind === 'sleep' && command.seconds === 0) return { ok: true };
  if (command.kind === 'all' && command.items.length === 0) return { ok: true, value: [] };
  return undefined;
}

/** What a passed due time means for an item: its outcome, or undefined when an activity is to be executed. */
export function outcomeWhenDue(command: Command, leaf: LeafCommand | undefined): Outcome | undefined {
  if (command.kind === 'wait-signal') return { ok: true, value: false };
  return leaf?.kind === 'sleep' ? { ok: true } : undefined;
}

/** Takes in the answer of an execution: the item gets its outcome or a new due time. */
export function applyAnswer(leaf: CallCommand | PollCommand, item: Item, answer: Answer, now: number): void {
  item.executing = false;
  item.kills = 0;
  if (!answer.ok && answer.final) item.outcome = { ok: false, error: answer.error };
  else if (leaf.kind === 'call') applyToCall(leaf, item, answer, now);
  else applyToPoll(leaf, item, answer, now);
}

function applyToCall(call: CallCommand, item: Item, answer: Answer, now: number): void {
  if (answer.ok) {
    item.outcome = { ok: true, value: answer.value };
    return;
  }
  item.failures++;
  if (call.retry && item.failures < call.retry.max) item.due = now + retryDelay(call.retry, item.failures);
  else item.outcome = { ok: false, error: answer.error };
}

/** In milliseconds, after so many failures. `max` counts executions, the first one included. */
export function retryDelay(retry: NonNullable<CallCommand['retry']>, failures: number): number {
  const seconds = retry.firstSeconds * (retry.factor ?? 1) ** (failures - 1);
  return 1000 * Math.min(seconds, retry.capSeconds ?? Number.POSITIVE_INFINITY);
}

function applyToPoll(poll: PollCommand, item: Item, answer: Answer, now: number): void {
  const round = answer.ok ? readRound(answer.value) : undefined;
  if (round?.done) {
    item.outcome = { ok: true, value: { done: true, value: round.value } };
    return;
  }
  // A round that throws is a round without an answer. There is always a last look at the deadline itself.
  const deadline = item.since + poll.forSeconds * 1000;
  if (now >= deadline) item.outcome = { ok: true, value: { done: false } };
  else item.due = Math.min(now + (round?.retryAfterSeconds ?? poll.everySeconds) * 1000, deadline);
}

type Round = { done: true; value: Json } | { done: false; retryAfterSeconds?: number };

function readRound(value: Json): Round | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  if (value.done === true) return { done: true, value: value.value ?? null };
  const pause = value.retryAfterSeconds;
  return typeof pause === 'number' && pause > 0 ? { done: false, retryAfterSeconds: pause } : { done: false };
}

/** What a workflow gets back once every item has its outcome; undefined before. */
export function commandOutcome(command: Command, items: readonly Item[]): Outcome | undefined {
  if (command.kind !== 'all') return items[0]?.outcome;
  const settled: Settled<Json>[] = [];
  for (const { outcome } of items) {
    if (!outcome) return undefined;
    settled.push(outcome.ok ? { ok: true, value: outcome.value ?? null } : outcome);
  }
  return { ok: true, value: settled };
}
