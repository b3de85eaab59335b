import { expect, test } from 'vitest';
import type { Suite } from '../conformance.ts';
import { anOwner, aRequest, created, failure, foundOf, patience, untilDeleted, value } from '../requests.ts';

export function deleteSuite({ harness }: Suite): void {
  test('deletes with one begin and at most one poll when that comes just when it says', async () => {
    const instance = await created(harness());

    expect(await untilDeleted(harness(), instance)).toBeLessThanOrEqual(1);

    expect(await harness().living()).toEqual([]);
    failure(await harness().provider.get(anOwner(), instance.providerID, patience()), 'not-found');
  });

  test('is done with what is gone, and with what never was', async () => {
    const instance = await created(harness());
    await untilDeleted(harness(), instance);

    expect(value(await harness().provider.beginDelete(instance, patience()))).toEqual({ done: true });
    const never = { id: 'i-0000000000000dead', owner: anOwner() };
    expect(value(await harness().provider.beginDelete(never, patience()))).toEqual({ done: true });
  });

  test('deletes what is still being created, and it never runs', async () => {
    const begun = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    if (begun.done) expect.fail('it should still be booting');
    const [booting] = await foundOf(harness());
    expect(booting?.state).toBe('creating');

    await untilDeleted(harness(), booting!);
    await harness().advance(begun.retryAfterSeconds);

    expect(await harness().living()).toEqual([]);
    failure(await harness().provider.pollCreate(begun.handle, patience()), 'not-found');
  });

  test('tells whoever waits for the create that it is being deleted', async () => {
    const begun = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    if (begun.done) expect.fail('it should still be booting');
    const [booting] = await foundOf(harness());
    const deleting = value(await harness().provider.beginDelete(booting!, patience()));
    expect(deleting.done).toBe(false);

    failure(await harness().provider.pollCreate(begun.handle, patience()), 'conflict');
  });

  test('takes a second delete, and many at once, as the first', async () => {
    const instance = await created(harness());
    const begun = value(await harness().provider.beginDelete(instance, patience()));
    expect(begun.done).toBe(false);

    const others = [harness().provider, harness().anotherProvider(), harness().anotherProvider()];
    const answers = await Promise.all(others.map((provider) => provider.beginDelete(instance, patience())));

    for (const answer of answers) value(answer);
    await untilDeleted(harness(), instance);
    expect(await harness().living()).toEqual([]);
  });

  test('gives a handle that survives JSON and another process', async () => {
    const instance = await created(harness());
    const begun = value(await harness().provider.beginDelete(instance, patience()));
    if (begun.done) expect.fail('it should still be going on');
    const stored = JSON.parse(JSON.stringify(begun)) as typeof begun;
    await harness().advance(stored.retryAfterSeconds);

    expect(value(await harness().anotherProvider().pollDelete(stored.handle, patience()))).toEqual({ done: true });
  });

  test.each([
    ['another attempt', { attempt: 2 }],
    ['another claim', { claimUid: 'c1a1-9999' }],
    ['another deployment', { deployment: 'other' }],
    ['another cluster', { cluster: '6f1c1a2e-0000-4000-8000-00000000ffff' }],
  ])('refuses to delete what carries the tags of %s', async (_, wrong) => {
    const instance = await created(harness());

    failure(await harness().provider.beginDelete({ id: instance.id, owner: anOwner(wrong) }, patience()), 'invalid');

    expect(await harness().living()).toEqual([instance.id]);
  });

  test('refuses to delete a foreign thing', async () => {
    const foreign = await harness().makeForeign('somebody-else');

    failure(await harness().provider.beginDelete({ id: foreign, owner: anOwner() }, patience()), 'invalid');

    expect(await harness().living()).toEqual([foreign]);
  });
}
