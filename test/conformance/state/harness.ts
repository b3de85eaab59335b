/** What a driver brings to the state suite, and how suite and model list a store. */

import { expect } from 'vitest';
import { defined } from '../../../shared/base/defined.ts';
import type { Entry, State } from '../../../shared/state/contract.ts';

export interface StateHarness {
  /** Opens the one store of this harness, empty at first. */
  open(): Promise<State>;
  /** Lets time pass for the driver. */
  pass(seconds: number): Promise<void>;
  /** Our process dies without a goodbye: what is opened afterwards is a new process's. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

/** All entries with the prefix, page by page. */
export async function listAll(state: State, prefix: string, limit?: number): Promise<Entry[]> {
  const items: Entry[] = [];
  let after: string | undefined;
  do {
    const page = await state.list(prefix, defined({ limit, after }));
    if (limit !== undefined) expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    // A page that leads to itself would never end.
    expect(page.next === undefined || page.next !== after).toBe(true);
    after = page.next;
  } while (after !== undefined);
  return items;
}

export const byBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
