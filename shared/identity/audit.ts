/**
 * The audit log: who changed what, with what, and when. It is bounded in number, in size and in time. Each entry is also a line of the
 * host's log, which no caller of the API can change; the platform decides how long that is kept.
 *
 * An entry is written before the action and again after it, with what came of it. One without a status was cut off: the host died in
 * between, or still works on it.
 */
import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import type { Clock, Ids } from '../base/runtime.ts';
import type { Log } from '../observe/log/log.ts';
import type { Entry, State } from '../state/contract.ts';
import type { Action } from './actions.ts';
import { shortened } from './audit-detail.ts';
import type { Member } from './callers.ts';
import type { Role } from './roles.ts';

export type AuditEntry = {
  at: number;
  caller: string;
  role: Role;
  team?: string;
  action: Action;
  /** What it was done to: the path of the request. */
  path: string;
  /** What the caller sent. */
  given?: Json;
  /** The HTTP status of the answer. */
  status?: number;
  /** What the caller was told. */
  answer?: Json;
};

export interface AuditSettings {
  keepSeconds: number;
  max: number;
}

export interface AuditServices {
  readonly state: State;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export interface Deed {
  by: Member;
  action: Action;
  path: string;
}

export interface Outcome {
  status: number;
  given?: Json | undefined;
  answer?: Json | undefined;
}

const prefix = 'audit/';
/** Keys are in the order of their letters, and the newest is to be the first. */
const lastMoment = 99_999_999_999_999;
/** Between two looks at how many there are: a look reads all of them. */
const writesBetweenTrims = 50;

const writes = new WeakMap<State, number>();

export interface OpenEntry {
  end(outcome: Outcome): Promise<void>;
  /** Nothing was to be done. */
  forget(): Promise<void>;
}

/** An entry that can't be written stops nothing: a pause must work when little else does. */
export async function beginAudit(services: AuditServices, settings: AuditSettings, deed: Deed): Promise<OpenEntry> {
  const { state, clock, ids, log } = services;
  const at = clock.now();
  const { by, action, path } = deed;
  const key = `${prefix}${String(lastMoment - at).padStart(14, '0')}-${ids.next()}`;
  const begun: AuditEntry = { at, caller: by.name, role: by.role, ...defined({ team: by.team }), action, path };
  const attempt = async (entry: AuditEntry, change: () => Promise<unknown>): Promise<void> => {
    try {
      await change();
    } catch (error) {
      log.write('audit.lost', { ...lineOf(entry), error });
    }
  };
  const write = (entry: AuditEntry) => state.put(key, entry, { ttlSeconds: settings.keepSeconds });
  await attempt(begun, () => write(begun));
  return {
    forget: () => attempt(begun, () => state.delete(key)),
    end: async ({ status, given, answer }) => {
      const entry: AuditEntry = { ...begun, ...shortened(defined({ given, answer })), status };
      log.write('audit.recorded', lineOf(entry));
      await attempt(entry, async () => {
        await write(entry);
        await trim(state, settings.max);
      });
    },
  };
}

/** A line of the log has a time of its own. */
const lineOf = ({ at: _, ...entry }: AuditEntry) => entry;

export interface AuditFilter {
  caller?: string;
  action?: Action;
  /** Milliseconds. */
  since?: number;
}

/** Newest first. A page may hold fewer than `limit`, even none: go on while there is a `next`. */
export async function readAudit(
  state: State,
  filter: AuditFilter,
  page: { after?: string; limit: number },
): Promise<{ items: AuditEntry[]; next?: string }> {
  const { items, next } = await state.list<AuditEntry>(prefix, {
    limit: page.limit,
    ...(page.after === undefined ? {} : { after: prefix + page.after }),
  });
  const since = filter.since ?? 0;
  const isOver = items.some(({ value }) => value.at < since);
  const found = items.filter(({ value: { caller, action, at } }) => {
    const isOfCaller = filter.caller === undefined || filter.caller === caller;
    return isOfCaller && (filter.action === undefined || filter.action === action) && at >= since;
  });
  return {
    items: found.map(({ value }) => value),
    ...(next === undefined || isOver ? {} : { next: next.slice(prefix.length) }),
  };
}

/** Deletes the oldest beyond `max`. At the first write of a process and at each fiftieth, so there may be some more for a while. */
async function trim(state: State, max: number): Promise<void> {
  const count = writes.get(state) ?? 0;
  writes.set(state, count + 1);
  if (count % writesBetweenTrims !== 0) return;
  let seen = 0;
  for (let after: string | undefined; ; ) {
    const page: { items: Entry[]; next?: string } = await state.list(prefix, after === undefined ? {} : { after });
    for (const { key } of page.items) if (++seen > max) await state.delete(key);
    if (page.next === undefined) return;
    after = page.next;
  }
}
