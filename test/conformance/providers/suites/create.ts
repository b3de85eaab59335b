import { expect, test } from 'vitest';
import type { Json } from '../../../../shared/base/json.ts';
import { instanceIdOf } from '../../../../shared/providers/instance-id.ts';
import type { Suite } from '../conformance.ts';
import { aRequest, created, failure, foundOf, ids, patience, untilCreated, untilDeleted, value } from '../requests.ts';

export function createSuite({ under, harness }: Suite): void {
  test('makes an instance that carries its owner and its offering', async () => {
    const request = aRequest(harness());

    const begun = value(await harness().provider.beginCreate(request, patience()));
    const { instance } = await untilCreated(harness(), begun);

    expect(instance).toMatchObject({ owner: request.owner, offering: request.offering, state: 'running' });
    expect(instance.name).toBe(request.name);
    expect(instanceIdOf(harness().provider, instance.providerID)).toBe(instance.id);
    expect(await harness().living()).toEqual([instance.id]);
  });

  test('needs one begin and at most two polls when they come just when it says', async () => {
    const begun = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    const { polls } = await untilCreated(harness(), begun);

    expect(polls).toBeLessThanOrEqual(2);
  });

  test('gives a handle that survives JSON and another process', async () => {
    const begun = value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    expect(begun.done).toBe(false);
    const stored = JSON.parse(JSON.stringify(begun)) as typeof begun;

    const { instance } = await untilCreated(harness(), stored, harness().anotherProvider());

    expect(await harness().living()).toEqual([instance.id]);
  });

  test('gives a handle with what is found while it boots, where only that leads to its Node', async () => {
    value(await harness().provider.beginCreate(aRequest(harness()), patience()));
    const [booting] = await foundOf(harness());
    if (booting?.handle === undefined) return;

    const found = { done: false as const, handle: booting.handle, retryAfterSeconds: 1 };
    const { instance } = await untilCreated(harness(), found, harness().anotherProvider());

    expect(instance.id).toBe(booting.id);
    expect(instance.handle).toBeUndefined();
    expect(instanceIdOf(harness().provider, booting.providerID)).toBe(instance.id);
  });

  test('refuses a handle that is not its own', async () => {
    const strange: Json[] = [null, 'i-1', { id: 7 }, { v: 99, id: 'i-1', owner: {} }];
    for (const handle of strange) {
      failure(await harness().provider.pollCreate(handle, patience()), 'invalid');
      failure(await harness().provider.pollDelete(handle, patience()), 'invalid');
    }
  });

  test('refuses a wrong node class by the name of the field, and makes nothing', async () => {
    const { spec, field } = harness().wrongNodeClass;
    const request = { ...aRequest(harness()), nodeClass: { name: 'wrong', spec } };

    const refused = failure(await harness().provider.beginCreate(request, patience()), 'invalid');

    expect(refused.message).toContain(field);
    expect(await harness().living()).toEqual([]);
  });

  if (under.idempotency === 'none') {
    test('makes another instance for every begin, and find shows them all', async () => {
      await created(harness());
      await created(harness());

      const found = await foundOf(harness());

      expect(found).toHaveLength(2);
      expect(ids(found)).toEqual((await harness().living()).sort());
    });
  } else {
    test('finds the first work when it is begun again while it boots', async () => {
      const request = aRequest(harness());
      const first = value(await harness().provider.beginCreate(request, patience()));

      const second = value(await harness().anotherProvider().beginCreate(request, patience()));

      const one = await untilCreated(harness(), first);
      const other = await untilCreated(harness(), second);
      expect(one.instance.id).toBe(other.instance.id);
      expect(await harness().living()).toHaveLength(1);
    });

    test('finds the first work when it is begun again after it runs', async () => {
      const instance = await created(harness());

      const again = value(await harness().provider.beginCreate(aRequest(harness()), patience()));

      expect(again).toMatchObject({ done: true, instance: { id: instance.id } });
      expect(await harness().living()).toEqual([instance.id]);
    });

    test('makes one instance when it is begun many times at once', async () => {
      const request = aRequest(harness());
      const providers = [harness().provider, harness().anotherProvider(), harness().anotherProvider()];

      const answers = await Promise.all(
        [...providers, ...providers].map((provider) => provider.beginCreate(request, patience())),
      );

      for (const answer of answers) if (!answer.ok) failure(answer, 'conflict');
      expect(answers.some((answer) => answer.ok)).toBe(true);
      expect(await harness().living()).toHaveLength(1);
    });
  }

  if (under.idempotency === 'claim-name') {
    test('never takes the machine of a later attempt for that of an earlier one', async () => {
      const begun = value(await harness().provider.beginCreate(aRequest(harness(), { attempt: 1 }), patience()));
      if (begun.done) expect.fail('it should still be booting');
      const { instance: first } = await untilCreated(harness(), begun);
      await untilDeleted(harness(), first);
      const second = await created(harness(), { attempt: 2 });

      failure(await harness().provider.pollCreate(begun.handle, patience()), 'not-found');
      // Where both have one id, it is refused; else the first one is simply gone.
      const deleted = await harness().provider.beginDelete(first, patience());
      if (deleted.ok) expect(deleted.value).toEqual({ done: true });
      else failure(deleted, 'invalid');

      expect(await harness().living()).toEqual([second.id]);
    });

    test('calls the instance of another attempt a conflict and leaves it alone', async () => {
      const first = await created(harness(), { attempt: 1 });

      failure(await harness().provider.beginCreate(aRequest(harness(), { attempt: 2 }), patience()), 'conflict');

      expect(await harness().living()).toEqual([first.id]);
    });
  } else {
    test('makes another instance for another attempt', async () => {
      const first = await created(harness(), { attempt: 1 });
      const second = await created(harness(), { attempt: 2 });

      expect(second.id).not.toBe(first.id);
      expect(second.owner.attempt).toBe(2);
    });
  }

  test('never touches a foreign thing of the same name', async () => {
    const request = aRequest(harness());
    const foreign = await harness().makeForeign(request.name);

    const begun = await harness().provider.beginCreate(request, patience());

    if (under.idempotency === 'token' || under.idempotency === 'none') {
      const { instance } = await untilCreated(harness(), value(begun));
      expect(instance.id).not.toBe(foreign);
    } else failure(begun, 'conflict');
    expect(await harness().living()).toContain(foreign);
    expect(ids(await foundOf(harness()))).not.toContain(foreign);
  });

  test('calls the work of another deployment or cluster under the same claim uid a conflict, or makes its own', async () => {
    const theirs = await created(harness(), { deployment: 'other' });

    const begun = await harness().provider.beginCreate(aRequest(harness()), patience());

    // Whatever makes a repeat harmless (token, name) is the same for both, so the provider has to look at the tags.
    if (under.idempotency === 'none')
      expect((await untilCreated(harness(), value(begun))).instance.id).not.toBe(theirs.id);
    else failure(begun, 'conflict');
    expect(await harness().living()).toContain(theirs.id);
  });
}
