import { describe, expect, test } from 'vitest';
import { errors } from '../../shared/observe/errors/catalog.ts';
import { poolwright } from '../cli/collect.ts';

describe('poolwright errors', () => {
  test('says cause and cure of a code', async () => {
    const { code, out, err } = await poolwright('errors', 'QuotaExceeded');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot('__snapshots__/quota-exceeded.txt');
  });

  test('lists them all', async () => {
    const { code, out } = await poolwright('errors');

    expect(code).toBe(0);
    expect(out.split('\n').length).toBe(Object.keys(errors).length + 2);
    await expect(`${out.split('\n').slice(0, 4).join('\n')}\n`).toMatchFileSnapshot('__snapshots__/list.txt');
  });

  test('lists them for programs', async () => {
    const { items } = JSON.parse((await poolwright('errors', '-o', 'json')).out);
    expect(items.map(({ code }: { code: string }) => code).sort()).toEqual(Object.keys(errors).sort());
    const names = (await poolwright('errors', '-o', 'name')).out.trim().split('\n');
    expect(names.sort()).toEqual(Object.keys(errors).sort());
  });

  test.each([
    ['in another case', 'quotaexceeded', 'QuotaExceeded'],
    ['as the end of a problem', 'unknown-claim', 'UnknownClaim'],
    ['as the type of a problem', 'urn:poolwright:problem:unknown-claim', 'UnknownClaim'],
    ['by the name that Karpenter has for it', 'InsufficientCapacityError', 'InsufficientCapacity'],
  ])('finds a code %s', async (_, written, found) => {
    const { code, out } = await poolwright('errors', written, '-o', 'json');

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ code: found, page: `docs/reference/errors.md#${found.toLowerCase()}` });
  });

  test('knows what is no error', async () => {
    expect(await poolwright('errors', 'Draining')).toMatchInlineSnapshot(`
      {
        "code": 0,
        "err": "",
        "out": "Draining is not an error. The host is evicting pods; the message says how many are left and what blocks them.
      ",
      }
    `);
  });

  test('names the nearest code', async () => {
    expect(await poolwright('errors', 'QuotaExceded')).toMatchInlineSnapshot(`
      {
        "code": 2,
        "err": "There is no error "QuotaExceded"; did you mean "QuotaExceeded"?
      More: poolwright errors UnknownCode
      ",
        "out": "",
      }
    `);
  });

  test('names the codes that have the word in them', async () => {
    const { code, err } = await poolwright('errors', 'quota');

    expect(code).toBe(2);
    expect(err).toMatch(/did you mean .*QuotaExceeded/);
  });

  test('shows what cannot be printed', async () => {
    const { code, err } = await poolwright('errors', '\u001b[2Jx');

    expect(code).toBe(2);
    expect(err).not.toContain('\u001b');
  });
});
