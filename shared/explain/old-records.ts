/**
 * Decisions and waits of a version that kept only sentences: in a data directory that was upgraded, or from a host that is older than
 * the command. The one place that may know an old sentence; none of a version that writes codes belongs here.
 */
import { isObject, type Json } from '../base/json.ts';
import { parseSignature, type Waiting } from '../workflow/waiting.ts';

interface Entry {
  step: string;
  text: string;
  code?: string;
  fields?: { [field: string]: Json };
  detail?: Json;
}

const old: readonly { step: string; words: RegExp; code: string }[] = [
  { step: 'choose', words: /^attempt \d+: /, code: 'offering-chosen' },
  { step: 'create', words: /is being created$/, code: 'create-begun' },
  { step: 'create', words: /is there as /, code: 'created' },
  { step: 'create', words: /adopted$/, code: 'instance-found' },
  { step: 'join', words: /^/, code: 'node-awaited' },
  { step: 'ready', words: /^/, code: 'node-ready' },
  { step: 'take over', words: /it is left alone$/, code: 'left-alone' },
  { step: 'terminate', words: /^deleting; /, code: 'end-begun' },
  { step: 'terminate', words: /^nothing is left; /, code: 'released' },
  { step: 'terminate', words: /no instance of ours/, code: 'foreign-end' },
  { step: 'discard', words: /is gone$/, code: 'instance-gone' },
  { step: 'discard', words: /is being deleted$/, code: 'delete-begun' },
  { step: 'drain', words: /^node \S+ has \d+ pods? to lose/, code: 'draining' },
];

const holds: readonly { reason: string; words: RegExp }[] = [
  { reason: 'BudgetsOverlap', words: /more than one PodDisruptionBudget/ },
  { reason: 'EvictionRefused', words: /is held by PodDisruptionBudget|may not be evicted now/ },
  { reason: 'PodsNotToBeDisrupted', words: /asks not to be disrupted/ },
];

/** With the code that it would have today, as far as that can be known; its sentence stays as it is. */
export function withCode<T extends Entry>(entry: T): T {
  if (entry.code !== undefined) return entry;
  const { step, text } = entry;
  const known = old.find((one) => one.step === step && one.words.test(text));
  if (known) return { ...entry, code: known.code, fields: fieldsOf(known.code, entry) };
  return step === 'drain' && text.includes("can't be drained, because ")
    ? { ...entry, code: 'end-waits', fields: { reason: 'DrainFailed' } }
    : entry;
}

function fieldsOf(code: string, { text, detail }: Entry): { [field: string]: Json } {
  if (code === 'draining') {
    const budget = /PodDisruptionBudget (\S+?\/[^\s,;]+)/.exec(text)?.[1];
    const heldBy = holds.filter(({ words }) => words.test(text)).map(({ reason }) => reason);
    return { heldBy, held: budget === undefined ? [] : [{ budget }] };
  }
  const until = code === 'node-awaited' && isObject(detail) ? detail.until : undefined;
  return typeof until === 'number' ? { until } : {};
}

/** What is the same in two sentences that differ in attempt and times only. */
export const oldRound = (text: string): string =>
  text.replace(/\battempt \d+\b/g, 'attempt').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');

/** `poll pollCreate until 2026-…`: how a host says it that does not tell it as data. */
export function oldWaiting(waitingFor: string): Waiting {
  const [, signature = waitingFor, until] = /^(.*?)(?: until (\S+))?$/.exec(waitingFor) ?? [];
  const at = Date.parse(until ?? '');
  return { ...parseSignature(signature), ...(Number.isFinite(at) ? { until: at } : {}) };
}
