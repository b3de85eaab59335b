import { expect, test } from 'vitest';
import type { Check } from '../../../../shared/base/checks.ts';
import type { Suite } from '../conformance.ts';
import { anOwner, created, patience } from '../requests.ts';

/** What a provider without the method does not promise. */
export function checkSuite({ harness, needs }: Suite): void {
  const check = async (signal = patience()): Promise<Check[]> => {
    const { provider } = harness();
    if (provider.check === undefined) expect.fail('the provider can not be checked');
    return provider.check(anOwner(), signal);
  };
  const wrong = (checks: readonly Check[]): Check[] => checks.filter(({ state }) => state === 'fail');

  test('finds nothing wrong with a cloud that works, and says who it is there', async () => {
    const checks = await check();

    expect(wrong(checks)).toEqual([]);
    expect(checks.find(({ name }) => name.startsWith('credentials'))).toMatchObject({ state: 'pass' });
    for (const { message } of checks) expect(message).not.toBe('');
  });

  test('makes and deletes nothing', async () => {
    const instance = await created(harness());

    await check();
    await check();

    expect(await harness().living()).toEqual([instance.id]);
  });

  needs(['unauthorised'], 'fails where the credentials may not look, with what to do', async () => {
    await harness().inject({ do: 'unauthorised', on: 'list' });

    const found = wrong(await check());

    expect(found).not.toEqual([]);
    for (const one of found) expect(one).toMatchObject({ code: 'Unauthorized', repair: expect.stringMatching(/\w/) });
  });

  test('holds no secret', async () => {
    const text = JSON.stringify(await check());

    for (const secret of harness().secrets ?? []) expect(text).not.toContain(secret);
  });

  needs(['shut-down'], 'answers when nobody listens, and throws nothing', async () => {
    await harness().inject({ do: 'shut-down' });

    expect(wrong(await check())).not.toEqual([]);
  });

  test('answers when it is stopped before it began', async () => {
    expect(wrong(await check(AbortSignal.abort()))).not.toEqual([]);
  });

  test('tells of limits, if it does, with what is used', async () => {
    const quota = await harness().provider.quota?.(patience());

    if (quota === undefined) return;
    if (!quota.ok) expect.fail(quota.error.message);
    for (const { name, used, limit, unit } of quota.value) {
      expect(name).not.toBe('');
      expect(unit).not.toBe('');
      expect(limit).toBeGreaterThanOrEqual(0);
      expect(used).toBeGreaterThanOrEqual(0);
    }
  });
}
