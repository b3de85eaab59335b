/** What a driver owes when the answer to a conditional write is lost on the way: it knows its own work, and takes no other for it. */
import { expect, it } from 'vitest';
import { countingIds, type Ids, systemIds } from '../../../shared/base/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import type { FaultyProxy } from './faulty-proxy.ts';

export interface LostAnswers {
  /** A new table for each case. */
  open(): (ids?: Ids) => State;
  proxy(): FaultyProxy;
  /** The HTTP methods by which the driver creates an entry and replaces it. */
  creates: string;
  replaces: string;
}

export function knowsItsOwnWork({ open, proxy, creates, replaces }: LostAnswers): void {
  it('knows its own work when the answer to a conditional write was lost', async () => {
    const state = open()(systemIds);
    await state.put('other', 1);
    proxy().spoil(creates, 'lose-answer');
    const created = await state.put('a', 1, { ifVersion: null });
    expect(created).toBe((await state.get('a'))?.version);
    proxy().spoil(replaces, 'lose-answer');
    const replaced = await state.put('a', 2, { ifVersion: created ?? '', ttlSeconds: 60 });
    expect(await state.get('a')).toMatchObject({ value: 2, version: replaced });
  });

  it("does not take another's work for its own", async () => {
    const opened = open();
    const [ours, theirs] = [opened(countingIds('ours')), opened(countingIds('theirs'))];
    const version = (await theirs.put('a', 1)) ?? '';
    await theirs.put('a', 2);
    for (const ifVersion of [version, null]) {
      expect(await ours.put('a', 3, { ifVersion })).toBeUndefined();
      proxy().spoil(ifVersion === null ? creates : replaces, 'lose-answer');
      expect(await ours.put('a', 3, { ifVersion })).toBeUndefined();
    }
    expect((await ours.get('a'))?.value).toBe(2);
  });
}
