import { expect, test } from 'vitest';
import type { Suite } from '../conformance.ts';
import {
  anOwner,
  aRequest,
  created,
  failure,
  foundOf,
  patience,
  untilCreated,
  untilDeleted,
  value,
} from '../requests.ts';

export function lostAnswersSuite({ under, harness, needs }: Suite): void {
  const repeats = under.idempotency !== 'none';

  needs(
    ['lose-answer'],
    'says that nobody knows when the answer to a create is lost, and finds the work again',
    async () => {
      await harness().inject({ do: 'lose-answer', on: 'create' });

      failure(await harness().provider.beginCreate(aRequest(harness()), patience()), 'outcome-unknown');

      const [found] = await foundOf(harness());
      expect(found?.owner).toEqual(anOwner());
      if (!repeats) return;
      const again = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
      const { instance } = await untilCreated(harness(), again);
      expect(instance.id).toBe(found?.id);
      expect(await harness().living()).toEqual([instance.id]);
    },
  );

  needs(['lose-request'], 'says that nobody knows when a create breaks off, also when nothing was done', async () => {
    await harness().inject({ do: 'lose-request', on: 'create' });

    failure(await harness().provider.beginCreate(aRequest(harness()), patience()), 'outcome-unknown');

    expect(await harness().living()).toEqual([]);
  });

  needs(['late-effect'], 'shows an effect that landed after the caller gave up', async () => {
    const { latenessSeconds } = harness().provider.traits;
    await harness().inject({ do: 'late-effect', on: 'create', seconds: latenessSeconds });

    failure(await harness().provider.beginCreate(aRequest(harness()), patience()), 'outcome-unknown');
    expect(await harness().living()).toEqual([]);
    await harness().advance(latenessSeconds);

    const found = await foundOf(harness());
    expect(found).toHaveLength(1);
    expect(await harness().living()).toEqual([found[0]?.id]);
  });

  if (repeats) {
    needs(['late-effect'], 'makes one instance when the late effect lands on a repeated create', async () => {
      const { latenessSeconds } = harness().provider.traits;
      await harness().inject({ do: 'late-effect', on: 'create', seconds: latenessSeconds });
      failure(await harness().provider.beginCreate(aRequest(harness()), patience()), 'outcome-unknown');

      const again = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
      await harness().advance(latenessSeconds);

      const { instance } = await untilCreated(harness(), again);
      expect(await harness().living()).toEqual([instance.id]);
    });
  }

  test('loses the attempt, and not more, when its instance was deleted in the meantime', async () => {
    const begun = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    if (begun.done) expect.fail('it should still be booting');
    const [found] = await foundOf(harness());
    await untilDeleted(harness(), found!);

    failure(await harness().provider.pollCreate(begun.handle, patience()), 'not-found');
    expect(await harness().living()).toEqual([]);
  });

  needs(
    ['lose-answer'],
    'says that nobody knows when the answer to a delete is lost, and a repeat is done',
    async () => {
      const instance = await created(harness());
      await harness().inject({ do: 'lose-answer', on: 'delete' });

      failure(await harness().provider.beginDelete(instance, patience()), 'outcome-unknown');
      await untilDeleted(harness(), instance);

      expect(await harness().living()).toEqual([]);
    },
  );

  needs(['lose-request'], 'says that nobody knows when a delete breaks off, and a repeat does it', async () => {
    const instance = await created(harness());
    await harness().inject({ do: 'lose-request', on: 'delete' });

    failure(await harness().provider.beginDelete(instance, patience()), 'outcome-unknown');
    expect(await harness().living()).toEqual([instance.id]);
    await untilDeleted(harness(), instance);

    expect(await harness().living()).toEqual([]);
  });
}
