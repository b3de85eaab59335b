/**
 * What was decided about a claim, and why, so that `explain` can answer "why is nothing happening?".
 * Bounded in number, in length and in time; losing a line costs an explanation, never a machine.
 *
 * Each decision is an entry of its own, because every step of every claim writes one: a list that is read and written
 * again for each new line costs more than the step itself.
 */

import { isObject, type Json } from '../../../base/json.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { cutText } from '../../../base/text.ts';
import type { State } from '../../../state/contract.ts';
import type { ClaimRef, LifecycleServices } from '../services.ts';
import { rememberUid } from './claim-uids.ts';
import { type DecisionCode, decisionCatalog, type FieldsOf, renderDecision } from './decision-catalog.ts';
import type { Fields } from './decisions/kind.ts';

/**
 * `text` is what an older version shows; a reader of this one makes it anew from `code` and `fields`. Entries of an older version
 * have neither.
 */
export type DecisionEntry = { at: number; step: string; text: string; code?: string; fields?: Fields; detail?: Json };

const maxTextLength = 500;
const maxDetailBytes = 4_000;
/** What all decisions about one claim may take together. */
const maxBytes = 40_000;

const prefixOf = (ref: ClaimRef): string => `decisions/${ref.cluster}/${ref.uid}/`;

/** What is kept, oldest first. */
export async function readDecisions(state: State, ref: ClaimRef): Promise<DecisionEntry[]> {
  const entries = await entriesOf(state, prefixOf(ref));
  return entries.map(({ value }) => ({ ...value, text: cutText(renderDecision(value), maxTextLength) }));
}

type Services = Pick<LifecycleServices, 'state' | 'clock' | 'log'> & {
  settings: Pick<LifecycleServices['settings'], 'decisions'>;
};

export async function recordDecision<Code extends DecisionCode>(
  services: Services,
  ref: ClaimRef,
  code: Code,
  given: FieldsOf<Code>,
  detail?: Json,
): Promise<void> {
  const { state, clock, settings, log } = services;
  const { step } = decisionCatalog[code];
  const fields = cutFields(given);
  const text = cutText(renderDecision({ code, fields, text: '' }), maxTextLength);
  const decision: DecisionEntry = { at: clock.now(), step, text, code, fields };
  const detailBytes = lengthOf(detail);
  const hasDetail = detail !== undefined && detailBytes <= maxDetailBytes;
  if (hasDetail) decision.detail = detail;
  try {
    const kept = await recall(state, prefixOf(ref));
    const ttlSeconds = settings.decisions.keepSeconds;
    // It must not be forgotten before the decisions are, so it is written again halfway.
    if (decision.at - kept.namedAt >= ttlSeconds * 500) {
      kept.namedAt = decision.at;
      await rememberUid(state, ref, ttlSeconds);
    }
    const { last } = kept;
    // The same wait, asked again and again, is one line that moves.
    const repeated = last?.step === step && last.text === decision.text ? kept.lines.pop() : undefined;
    const key = repeated?.key ?? `${prefixOf(ref)}${padded(decision.at, 14)}-${padded(++kept.count, 6)}`;
    kept.lines.push({ key, bytes: lengthOf(fields) + (hasDetail ? detailBytes : 0), hasDetail });
    kept.last = { step, text: decision.text };
    await state.put(key, decision, { ttlSeconds, soon: true });
    await trim(state, kept, settings.decisions.maxPerClaim, ttlSeconds);
  } catch (error) {
    log.write('decision.lost', { cluster: ref.cluster, claim: ref.name, step, error });
  }
}

/** What this process knows of a claim's decisions, so that it need not read them. Another's lines only cost precision. */
interface Kept {
  lines: KeptLine[];
  last: { step: string; text: string } | undefined;
  /** Tells decisions of one millisecond apart. */
  count: number;
  /** When its name was written down by this process. */
  namedAt: number;
}

interface KeptLine {
  key: string;
  bytes: number;
  hasDetail: boolean;
}

const lineOf = (key: string, entry: DecisionEntry): KeptLine => ({
  key,
  bytes: sizeOf(entry),
  hasDetail: entry.detail !== undefined,
});

const claimsRemembered = 1_000;
const remembered = new WeakMap<State, RecentMap<string, Kept>>();

async function recall(state: State, prefix: string): Promise<Kept> {
  let claims = remembered.get(state);
  if (!claims) {
    claims = new RecentMap({ max: claimsRemembered });
    remembered.set(state, claims);
  }
  const known = claims.get(prefix);
  if (known) return known;
  const entries = await entriesOf(state, prefix);
  const lines = entries.map(({ key, value }) => lineOf(key, value));
  const kept: Kept = { lines, last: entries.at(-1)?.value, count: lines.length, namedAt: Number.NEGATIVE_INFINITY };
  claims.set(prefix, kept);
  return kept;
}

/** Keeps the newest; drops details of older ones first, because the texts tell the story. */
async function trim(state: State, kept: Kept, maxLines: number, ttlSeconds: number): Promise<void> {
  const { lines } = kept;
  const total = (): number => lines.reduce((sum, { bytes }) => sum + bytes, 0);
  const dropOldest = async (): Promise<void> => {
    const oldest = lines.shift();
    if (oldest) await state.delete(oldest.key);
  };
  while (lines.length > maxLines) await dropOldest();
  if (total() <= maxBytes) return;
  for (const [index, line] of lines.slice(0, -1).entries()) {
    if (total() <= maxBytes) return;
    // What has no detail has nothing to drop: it is not read again with every further decision.
    if (!line.hasDetail) continue;
    const entry = await state.get<DecisionEntry>(line.key);
    const { detail: _, ...short } = entry?.value ?? { text: '' };
    if (entry) await state.put(line.key, short, { ttlSeconds });
    lines[index] = { key: line.key, bytes: sizeOf(short), hasDetail: false };
  }
  while (lines.length > 1 && total() > maxBytes) await dropOldest();
}

/** Keys are in the order of their letters. */
const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** Where there are fields, the text repeats them. */
const sizeOf = ({ text, fields, detail }: Pick<DecisionEntry, 'text' | 'fields' | 'detail'>): number =>
  (fields === undefined ? text.length : lengthOf(fields)) + lengthOf(detail);

const lengthOf = (value: Json | undefined): number => (value === undefined ? 0 : JSON.stringify(value).length);

const cutFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutDeep(value)]));

/** What a cloud, an API server or a webhook said may be long, at any depth. */
function cutDeep(value: Json): Json {
  if (typeof value === 'string') return cutText(value, maxTextLength);
  if (Array.isArray(value)) return value.map(cutDeep);
  return isObject(value) ? cutFields(value) : value;
}

async function entriesOf(state: State, prefix: string): Promise<{ key: string; value: DecisionEntry }[]> {
  const entries: { key: string; value: DecisionEntry }[] = [];
  let after: string | undefined;
  do {
    const page = await state.list<DecisionEntry>(prefix, after === undefined ? {} : { after });
    entries.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return entries;
}
