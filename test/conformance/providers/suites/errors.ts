import { expect, test } from 'vitest';
import type { Suite } from '../conformance.ts';
import { aKey, anOwner, aRequest, created, failure, patience, untilCreated, value } from '../requests.ts';

export function errorsSuite({ under, harness, needs }: Suite): void {
  const told = (seconds: number): number | undefined => (under.tellsPauses === false ? undefined : seconds);
  const create = (signal = patience()) => harness().provider.beginCreate(aRequest(harness()), signal);

  needs(['throttle'], 'says throttled, and how long to wait where the cloud says so', async () => {
    await harness().inject({ do: 'throttle', on: 'create', retryAfterSeconds: 7 });
    expect(failure(await create(), 'throttled').retryAfterSeconds).toBe(told(7));
    await harness().advance(7);
    await harness().inject({ do: 'throttle', on: 'create' });
    expect(failure(await create(), 'throttled').retryAfterSeconds).toBeUndefined();

    expect(await harness().living()).toEqual([]);
  });

  needs(['throttle'], 'says throttled for a read', async () => {
    const instance = await created(harness());
    await harness().inject({ do: 'throttle', on: 'get', retryAfterSeconds: 3 });

    const answer = await harness().provider.get(anOwner(), instance.providerID, patience());

    expect(failure(answer, 'throttled').retryAfterSeconds).toBe(told(3));
  });

  needs(['conflict'], 'says conflict while another operation is in progress', async () => {
    await harness().inject({ do: 'conflict', on: 'create' });
    failure(await create(), 'conflict');
    const instance = await created(harness());
    await harness().inject({ do: 'conflict', on: 'delete' });
    failure(await harness().provider.beginDelete(instance, patience()), 'conflict');

    expect(await harness().living()).toEqual([instance.id]);
  });

  needs(['sold-out'], 'says insufficient-capacity when the offering is sold out, and makes nothing', async () => {
    await harness().inject({ do: 'sold-out' });

    failure(await create(), 'insufficient-capacity');

    expect(await harness().living()).toEqual([]);
  });

  needs(['quota'], 'says quota-exceeded, which is not the same as sold out', async () => {
    await harness().inject({ do: 'quota' });

    failure(await create(), 'quota-exceeded');

    expect(await harness().living()).toEqual([]);
  });

  needs(['unauthorised'], 'says unauthorised', async () => {
    await harness().inject({ do: 'unauthorised', on: 'create' });
    failure(await create(), 'unauthorised');

    const instance = await created(harness());
    await harness().inject({ do: 'unauthorised', on: 'get' });
    failure(await harness().provider.get(anOwner(), instance.providerID, patience()), 'unauthorised');
  });

  test('says invalid for an offering that is not sold', async () => {
    const request = { ...aRequest(harness()), offering: { ...harness().offering, instanceType: 'no-such-type' } };

    failure(await harness().provider.beginCreate(request, patience()), 'invalid');
  });

  needs(['server-error'], 'says outcome-unknown when a write ends in a server error', async () => {
    await harness().inject({ do: 'server-error', on: 'create' });
    failure(await create(), 'outcome-unknown');
    const instance = await created(harness());
    await harness().inject({ do: 'server-error', on: 'delete' });
    failure(await harness().provider.beginDelete(instance, patience()), 'outcome-unknown');
  });

  needs(
    ['harmless-server-error'],
    'says unavailable when a write ends in a server error that says that nothing was done',
    async () => {
      await harness().inject({ do: 'harmless-server-error', on: 'create' });

      failure(await create(), 'unavailable');
    },
  );

  needs(['server-error'], 'says unavailable, never not-found, when a read ends in a server error', async () => {
    const instance = await created(harness());
    await harness().inject({ do: 'server-error', on: 'get' });

    failure(await harness().provider.get(anOwner(), instance.providerID, patience()), 'unavailable');
  });

  needs(['lose-request'], 'says unavailable when a read breaks off for good', async () => {
    await harness().inject({ do: 'lose-request', on: 'list' });

    failure(await harness().provider.find(aKey(), patience()), 'unavailable');
  });

  needs(['garble'], 'believes no answer that it does not understand', async () => {
    await harness().inject({ do: 'garble', on: 'create' });
    failure(await create(), 'outcome-unknown');

    const instance = await created(harness());
    await harness().inject({ do: 'garble', on: 'get' });
    failure(await harness().provider.get(anOwner(), instance.providerID, patience()), 'unavailable');
  });

  needs(['shut-down'], 'says unavailable, not outcome-unknown, when nobody listens', async () => {
    await harness().inject({ do: 'shut-down' });

    failure(await create(), 'unavailable');
    failure(
      await harness().provider.beginDelete({ id: aRequest(harness()).name, owner: anOwner() }, patience()),
      'unavailable',
    );
    failure(await harness().provider.find(aKey(), patience()), 'unavailable');
    failure(await harness().provider.instanceTypes(harness().nodeClass, patience()), 'unavailable');
  });

  test('does nothing at all under a signal that has fired already', async () => {
    const instance = await created(harness(), { claimUid: 'c1a1-0002' });
    const { provider, nodeClass } = harness();
    const over = AbortSignal.abort();

    failure(await create(over), 'unavailable');
    failure(await provider.beginDelete(instance, over), 'unavailable');
    failure(await provider.find(aKey(), over), 'unavailable');
    failure(await provider.get(anOwner(), instance.providerID, over), 'unavailable');
    failure(await provider.list(anOwner(), undefined, over), 'unavailable');
    failure(await provider.instanceTypes(nodeClass, over), 'unavailable');

    expect(await harness().living()).toEqual([instance.id]);
  });

  needs(['hold'], 'stops a write when the signal fires, and says that nobody knows', async () => {
    const controller = new AbortController();
    await harness().inject({ do: 'hold', on: 'create' });

    const answer = create(controller.signal);
    await harness().untilHeld();
    controller.abort();

    failure(await answer, 'outcome-unknown');
  });

  needs(['hold'], 'stops a read when the signal fires', async () => {
    const begun = value(await create());
    const { instance } = await untilCreated(harness(), begun);
    const controller = new AbortController();
    await harness().inject({ do: 'hold', on: 'get' });

    const answer = harness().provider.get(anOwner(), instance.providerID, controller.signal);
    await harness().untilHeld();
    controller.abort();

    failure(await answer, 'unavailable');
  });
}
