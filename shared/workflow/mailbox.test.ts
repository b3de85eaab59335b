import { beforeEach, expect, it } from 'vitest';
import type { Json } from '../base/json.ts';
import { putMark, serveMailbox } from './mailbox.ts';
import type { Records } from './records.ts';

/** One entry; `interfere` runs between a look and its write. */
let stored: { value: Json; version: string } | undefined;
let interfere: (() => Promise<unknown>) | undefined;
const records: Records = {
  get: async <T extends Json>() => stored && { value: structuredClone(stored.value) as T, version: stored.version },
  put: async (_key, value, { ifVersion }) => {
    const once = interfere;
    interfere = undefined;
    await once?.();
    if ((stored?.version ?? null) !== ifVersion) return undefined;
    stored = { value: structuredClone(value), version: String(Number(stored?.version ?? 0) + 1) };
    return stored.version;
  },
};
beforeEach(() => {
  stored = undefined;
  interfere = undefined;
});

const wait = (what: 'register' | 'close', number: number, startedAt = 1000) =>
  serveMailbox(records, {
    do: what,
    instance: 'i',
    signal: 'look',
    token: `look.${number}.${startedAt}`,
    order: [startedAt, number],
    forSeconds: 10,
  });
const send = () => putMark(records, 'i', 'look');

it('hands a mark to one wait, as often as that wait asks', async () => {
  expect(await send()).toBeUndefined();
  expect(await send()).toBeUndefined();
  expect(await wait('register', 1)).toBe(true);
  expect(await wait('register', 1)).toBe(true);
  expect(await wait('register', 2)).toBe(false);
});

it('tells the sender whom to poke, until that wait is over', async () => {
  await wait('register', 1);
  expect(await send()).toBe('look.1.1000');
  expect(await send()).toBe('look.1.1000');
  expect(await wait('close', 1)).toBe(true);
  expect(await send()).toBeUndefined();
});

it('gives a late repetition of an older wait nothing that belongs to a newer one', async () => {
  await wait('register', 1);
  expect(await wait('close', 1)).toBe(false);
  await wait('register', 2);
  await wait('register', 1);
  expect(await send()).toBe('look.2.1000');
  expect(await wait('close', 1)).toBe(false);
  expect(await wait('close', 2)).toBe(true);
});

it('takes the first wait of an instance that was started anew for the newest', async () => {
  await wait('register', 7);
  expect(await wait('register', 1, 2000)).toBe(false);
  expect(await send()).toBe('look.1.2000');
});

it.each([1, 2])('loses nothing when sender and waiter write at the same time (%i)', async (order) => {
  if (order === 1) interfere = () => wait('register', 1);
  else interfere = send;
  const poked = order === 1 ? await send() : undefined;
  const taken = order === 2 ? await wait('register', 1) : false;
  expect(poked === 'look.1.1000' || taken).toBe(true);
});
