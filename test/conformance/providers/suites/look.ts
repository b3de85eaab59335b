import { expect, test } from 'vitest';
import type { Instance } from '../../../../shared/providers/contract.ts';
import { instanceIdOf } from '../../../../shared/providers/instance-id.ts';
import type { Suite } from '../conformance.ts';
import type { ProviderHarness } from '../harness.ts';
import { aKey, anOwner, aRequest, created, failure, foundOf, ids, patience, untilDeleted, value } from '../requests.ts';

export function lookSuite({ under, harness, needs }: Suite): void {
  const elsewhere = '6f1c1a2e-0000-4000-8000-00000000ffff';

  test('finds the instances of a claim and nothing of others', async () => {
    const mine = await created(harness());
    await created(harness(), { claimUid: 'c1a1-0002' });
    await created(harness(), { claimUid: 'c1a1-0003', deployment: 'other' });
    await created(harness(), { claimUid: 'c1a1-0004', cluster: elsewhere });
    await harness().makeForeign('somebody-else');

    expect(ids(await foundOf(harness()))).toEqual([mine.id]);
    expect(await foundOf(harness(), { claimUid: 'c1a1-0003' })).toEqual([]);
    expect(await foundOf(harness(), { claimUid: 'c1a1-0004' })).toEqual([]);
    expect(await foundOf(harness(), { claimUid: 'c1a1-unknown' })).toEqual([]);
  });

  // Where one name serves all attempts, there are never two at once.
  if (under.idempotency !== 'claim-name') {
    test('finds every attempt of a claim, also over several pages', async () => {
      for (const attempt of [1, 2, 3, 4, 5]) await created(harness(), { attempt });

      const found = await foundOf(harness());

      expect(found.map(({ owner }) => owner.attempt).sort()).toEqual([1, 2, 3, 4, 5]);
    });
  }

  test('finds what is booting and what is being deleted', async () => {
    value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    const [booting] = await foundOf(harness());
    expect(booting?.state).toBe('creating');

    value(await harness().provider.beginDelete(booting!, patience()));

    expect(await foundOf(harness())).toMatchObject([{ id: booting!.id, state: 'deleting' }]);
  });

  test('lists all of the deployment in the cluster, page by page, each once', async () => {
    const expected: Instance[] = [];
    for (const number of [1, 2, 3, 4, 5]) expected.push(await created(harness(), { claimUid: `c1a1-000${number}` }));
    await created(harness(), { claimUid: 'c1a1-0006', deployment: 'other' });
    await created(harness(), { claimUid: 'c1a1-0007', cluster: elsewhere });
    await harness().makeForeign('somebody-else');
    await harness().advance(harness().provider.traits.listLagSeconds);

    const pages = await allPages(harness());

    expect(ids(pages.flat())).toEqual(ids(expected));
    expect(pages.length).toBeGreaterThan(1);
  });

  test('gets one by its providerID at once', async () => {
    const instance = await created(harness());

    expect(value(await harness().provider.get(anOwner(), instance.providerID, patience()))).toEqual(instance);
  });

  test('says not-found for what is not ours, whoever owns it', async () => {
    const theirs = await created(harness(), { deployment: 'other' });
    const away = await created(harness(), { cluster: elsewhere, claimUid: 'c1a1-0002' });
    const foreign = await harness().makeForeign('somebody-else');
    const foreignProviderID = theirs.providerID.replace(theirs.id, foreign);

    for (const providerID of [theirs.providerID, away.providerID, foreignProviderID]) {
      failure(await harness().provider.get(anOwner(), providerID, patience()), 'not-found');
    }
  });

  test('says not-found for a providerID that never was one of its own', async () => {
    for (const providerID of ['', 'strange:///zone-a/i-1', 'strange', 'aws:///../../i-1']) {
      expect(instanceIdOf(harness().provider, providerID)).toBeUndefined();
      failure(await harness().provider.get(anOwner(), providerID, patience()), 'not-found');
    }
  });

  needs(['lag'], 'gets at once what a lagging list does not show yet, or still shows', async () => {
    const { listLagSeconds } = harness().provider.traits;
    const { attempt: _, ...owner } = anOwner();
    await harness().inject({ do: 'lag', seconds: listLagSeconds });
    value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    expect(value(await harness().provider.find(aKey(), patience()))).toEqual([]);
    const [found] = await foundOf(harness());
    expect(found).toBeDefined();

    await harness().advance(60);
    await untilDeleted(harness(), found!);

    failure(await harness().provider.get(owner, found!.providerID, patience()), 'not-found');
    expect(ids(value(await harness().provider.find(aKey(), patience())))).toEqual([found!.id]);
    expect(await foundOf(harness())).toEqual([]);
  });

  test('lists every instance type with its offerings; an unknown price is not a number', async () => {
    const types = value(await harness().provider.instanceTypes(harness().nodeClass, patience()));

    const names = types.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const type of types) {
      expect(Object.keys(type.capacity)).toEqual(expect.arrayContaining(['cpu', 'memory']));
      for (const offering of type.offerings) {
        expect(offering.instanceType).toBe(type.name);
        if (offering.price !== undefined) expect(offering.price).toBeGreaterThan(0);
      }
    }
    expect(types.flatMap(({ offerings }) => offerings)).toContainEqual(
      expect.objectContaining({ ...harness().offering, available: true }),
    );
  });

  needs(['list-sold-out'], 'still lists an offering that is sold out, marked as such', async () => {
    await harness().inject({ do: 'list-sold-out' });

    const types = value(await harness().provider.instanceTypes(harness().nodeClass, patience()));

    const offerings = types.flatMap((type) => type.offerings);
    expect(offerings).toContainEqual(
      expect.objectContaining({ ...harness().offering, available: false, unavailableReason: expect.any(String) }),
    );
    expect(offerings.some(({ available }) => available)).toBe(true);
  });
}

async function allPages({ provider }: ProviderHarness): Promise<Instance[][]> {
  const pages: Instance[][] = [];
  let next: string | undefined;
  do {
    const page = value(await provider.list(anOwner(), next, patience()));
    pages.push(page.items);
    next = page.next;
  } while (next !== undefined && pages.length < 100);
  return pages;
}
