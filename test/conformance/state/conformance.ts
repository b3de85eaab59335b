/** What every state driver owes: the comments in shared/state/contract.ts, as tests. A driver brings a harness. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { type Entry, maxKeyLength, maxValueBytes, type State } from '../../../shared/state/contract.ts';
import { byBytes, listAll, type StateHarness } from './harness.ts';
import { stateModel } from './model.ts';

export function stateConformance(driver: string, make: () => Promise<StateHarness>, modelRuns = 60): void {
  describe(`state conformance: ${driver}`, () => {
    let harness: StateHarness;
    let state: State;
    beforeEach(async () => {
      harness = await make();
      state = await harness.open();
    });
    afterEach(() => harness.close());

    const keys = (entries: readonly Entry[]) => entries.map(({ key }) => key);

    it('reads back what was put, with its version', async () => {
      expect(await state.get('a')).toBeUndefined();
      const version = await state.put('a', { n: 1 });
      expect(await state.get('a')).toEqual({ key: 'a', value: { n: 1 }, version });
    });

    it.each<Json>([null, true, 0, -1.5e-7, '', 'ä€😀\u0000\ud800', [], [[null]], {}, { a: { b: [1, 'two', null] } }])(
      'keeps the value %j as it is',
      async (value) => {
        await state.put('a', value);
        expect((await state.get('a'))?.value).toEqual(value);
      },
    );

    it('reads, lists and compares at once what is put to be durable soon', async () => {
      await state.put('first', 0);
      const version = await state.put('a', 1, { soon: true, ttlSeconds: 5 });
      expect((await state.get('a'))?.version).toBe(version);
      expect(keys(await listAll(state, 'a', 10))).toEqual(['a']);
      const replaced = await state.put('a', 2, { soon: true, ttlSeconds: 5 });
      expect(await state.put('a', 3, { ifVersion: version ?? '' })).toBeUndefined();
      expect(await state.put('a', 3, { ifVersion: null })).toBeUndefined();
      expect(await state.get('a')).toMatchObject({ value: 2, version: replaced });
      await state.put('b', 1, { soon: true });
      expect(await state.delete('b')).toBe(true);
      expect(await state.get('b')).toBeUndefined();
      await harness.pass(5);
      expect(await state.get('a')).toBeUndefined();
      expect(keys(await listAll(state, '', 10))).toEqual(['first']);
    });

    it('gives every write a new version, also of the same value', async () => {
      const versions = [await state.put('a', 1), await state.put('a', 1), await state.put('b', 1)];
      expect((await state.get('a'))?.version).toBe(versions[1]);
      expect(versions[0]).not.toBe(versions[1]);
    });

    it('creates only where there is none', async () => {
      expect(await state.put('a', 1, { ifVersion: null })).toBeTypeOf('string');
      expect(await state.put('a', 2, { ifVersion: null })).toBeUndefined();
      expect((await state.get('a'))?.value).toBe(1);
    });

    it('replaces only the version that was read', async () => {
      const first = await state.put('a', 1);
      const second = await state.put('a', 2, { ifVersion: first ?? '' });
      expect(second).toBeTypeOf('string');
      expect(await state.put('a', 3, { ifVersion: first ?? '' })).toBeUndefined();
      expect(await state.put('b', 3, { ifVersion: first ?? '' })).toBeUndefined();
      expect(await state.put('a', 3, { ifVersion: 'no such version' })).toBeUndefined();
      expect(await state.get('a')).toEqual({ key: 'a', value: 2, version: second });
      expect(await state.get('b')).toBeUndefined();
    });

    it('lets one of many writers win who saw the same version', async () => {
      const version = (await state.put('a', 'start')) ?? '';
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => state.put('a', n, { ifVersion: version })),
      );
      expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
      const created = await Promise.all(Array.from({ length: 20 }, (_, n) => state.put('b', n, { ifVersion: null })));
      expect(created.filter((answer) => answer !== undefined)).toHaveLength(1);
      expect((await state.get('b'))?.version).toBe(created.find((answer) => answer !== undefined));
    });

    it('loses no increment to a race', async () => {
      const increment = async (): Promise<void> => {
        const found = await state.get<number>('count');
        const written = await state.put('count', (found?.value ?? 0) + 1, { ifVersion: found?.version ?? null });
        if (written === undefined) await increment();
      };
      await Promise.all(Array.from({ length: 8 }, increment));
      expect((await state.get('count'))?.value).toBe(8);
    });

    it('deletes, once, and only the version that was read', async () => {
      expect(await state.delete('a')).toBe(false);
      const first = (await state.put('a', 1)) ?? '';
      const second = (await state.put('a', 2)) ?? '';
      expect(await state.delete('a', { ifVersion: first })).toBe(false);
      expect(await state.delete('a', { ifVersion: second })).toBe(true);
      expect(await state.delete('a')).toBe(false);
      expect(await state.get('a')).toBeUndefined();
    });

    it('never gives an entry that was deleted and made again an old version', async () => {
      const versions = new Set<string>();
      for (let round = 0; round < 5; round++) {
        versions.add((await state.put('a', round, { ifVersion: null })) ?? '');
        await state.delete('a');
      }
      expect(versions.size).toBe(5);
      const last = [...versions].at(-1) ?? '';
      await state.put('a', 'new');
      expect(await state.put('a', 'late', { ifVersion: last })).toBeUndefined();
      expect(await state.delete('a', { ifVersion: last })).toBe(false);
    });

    it('reads an expired entry as absent, everywhere and at once', async () => {
      const version = (await state.put('a', 1, { ttlSeconds: 10 })) ?? '';
      expect((await state.get('a'))?.expiresAt).toBeTypeOf('number');
      await harness.pass(9);
      expect(keys(await listAll(state, ''))).toEqual(['a']);
      await harness.pass(1);
      expect(await state.get('a')).toBeUndefined();
      expect(await listAll(state, '')).toEqual([]);
      expect(await state.delete('a')).toBe(false);
      expect(await state.delete('a', { ifVersion: version })).toBe(false);
      expect(await state.put('a', 2, { ifVersion: version })).toBeUndefined();
      const created = await state.put('a', 2, { ifVersion: null });
      expect(created).toBeTypeOf('string');
      expect(created).not.toBe(version);
    });

    it('sets the time to live anew with every write, and drops it when none is named', async () => {
      await state.put('a', 1, { ttlSeconds: 10 });
      await state.put('b', 1, { ttlSeconds: 10 });
      await harness.pass(8);
      await state.put('a', 2, { ttlSeconds: 10 });
      await state.put('b', 2);
      await harness.pass(8);
      expect((await state.get('a'))?.value).toBe(2);
      await harness.pass(1000);
      expect(await state.get('a')).toBeUndefined();
      expect(await state.get('b')).not.toHaveProperty('expiresAt');
    });

    it('lists by prefix, whatever characters are in it', async () => {
      const all = [
        'a%/1',
        'a%/2',
        'a_/1',
        'ab/1',
        'aé/1',
        'aé/2',
        'a😀/1',
        'a\u{10ffff}/1',
        "a'/1",
        'a\\/1',
        'a*/1',
        'a[/1',
        'A%/1',
        'a',
      ];
      for (const key of all) await state.put(key, key);
      for (const prefix of [
        '',
        'a',
        'a%/',
        'a%',
        'a_',
        'aé',
        'a😀',
        'a\u{10ffff}',
        "a'",
        'a\\',
        'a*',
        'a[',
        'A',
        'nothing',
      ]) {
        const expected = all.filter((key) => key.startsWith(prefix)).sort(byBytes);
        expect(keys(await listAll(state, prefix)), prefix).toEqual(expected);
      }
    });

    it('orders by bytes of UTF-8, not by UTF-16', async () => {
      // In UTF-16 the emoji (a surrogate pair) would come before the private-use character.
      for (const key of ['k\u{1f600}', 'k\ue000', 'kZ', 'ka', 'k']) await state.put(key, null);
      expect(keys(await listAll(state, 'k'))).toEqual(['k', 'kZ', 'ka', 'k\ue000', 'k\u{1f600}']);
    });

    it('lists in pages that together are the whole, with no needless last page', async () => {
      const all = Array.from({ length: 23 }, (_, index) => `p/${String(index).padStart(2, '0')}`);
      for (const key of [...all].reverse()) await state.put(key, key);
      await state.put('q', 1);
      for (const limit of [1, 5, 23, 24]) expect(keys(await listAll(state, 'p/', limit))).toEqual(all);
      expect(keys((await state.list('p/', { after: 'p/20' })).items)).toEqual(['p/21', 'p/22']);
      expect(await state.list('p/', { after: 'q' })).toEqual({ items: [] });
      expect(keys((await state.list('p/', { after: 'a', limit: 1 })).items)).toEqual(['p/00']);
    });

    it('goes on after a page whose last entry is gone', async () => {
      for (const key of ['a', 'b', 'c']) await state.put(key, key);
      const page = await state.list('', { limit: 1 });
      await state.delete('a');
      expect(keys((await state.list('', { after: page.next ?? '' })).items)).toEqual(['b', 'c']);
    });

    it('lists large values too', async () => {
      const value = 'x'.repeat(maxValueBytes - 2);
      const all = Array.from({ length: 40 }, (_, index) => `large/${index + 10}`);
      await Promise.all(all.map((key) => state.put(key, value)));
      expect(keys(await listAll(state, 'large/', 1000))).toEqual(all);
    });

    it('takes keys and values up to their limits, and says what is wrong with longer ones', async () => {
      const longest = 'é'.repeat(maxKeyLength / 2);
      await state.put(longest, 'x'.repeat(maxValueBytes - 2));
      expect((await state.get(longest))?.key).toBe(longest);
      await expect(state.put(`${longest}x`, 1)).rejects.toThrow(/513 bytes long; at most 512/);
      await expect(state.get(`${longest}x`)).rejects.toThrow(RangeError);
      await expect(state.delete(`${longest}x`)).rejects.toThrow(RangeError);
      await expect(state.put('a', 'x'.repeat(maxValueBytes - 1))).rejects.toThrow(
        /60001 bytes big as JSON; at most 60000/,
      );
      await expect(state.put('', 1)).rejects.toThrow(/must not be empty/);
      await expect(state.put('\ud800', 1)).rejects.toThrow(RangeError);
      for (const ttlSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expect(state.put('a', 1, { ttlSeconds })).rejects.toThrow(RangeError);
      }
      await expect(state.list('', { limit: 0 })).rejects.toThrow(RangeError);
      expect(await state.get('a')).toBeUndefined();
    });

    it('remembers everything over a crash, and goes on with new versions', async () => {
      const version = (await state.put('a', 1)) ?? '';
      await state.put('b', 2, { ttlSeconds: 10 });
      await state.put('c', 3);
      await state.delete('c');
      await harness.crash();
      const reopened = await harness.open();
      expect(keys(await listAll(reopened, ''))).toEqual(['a', 'b']);
      const next = await reopened.put('a', 2, { ifVersion: version });
      expect(next).toBeTypeOf('string');
      expect(next).not.toBe(version);
      await harness.pass(10);
      expect(await reopened.get('b')).toBeUndefined();
    });

    it('behaves like the model', async () => {
      await stateModel(make, modelRuns);
    });
  });
}
