import { expect, test } from 'vitest';
import { testContext } from '../../../test/stand-ins/provider-context.ts';
import { compileCatalog } from '../claims/choice/catalog.ts';
import { chooseOfferings } from '../claims/choice/choose.ts';
import type { InstanceType } from '../claims/choice/offerings.ts';
import { isMarked, markUnavailable, unavailableOfferings } from './unavailable-offerings.ts';

const type = (name: string, family: string, cpu: string): InstanceType => ({
  name,
  labels: { 'example.com/family': family, 'example.com/cpu': cpu },
  capacity: { cpu },
  offerings: (['spot', 'on-demand'] as const).map((capacityType) => ({
    instanceType: name,
    zone: 'a',
    capacityType,
    price: undefined,
    available: true,
  })),
});

const catalog = compileCatalog([
  type('d-small', 'd', '4'),
  type('d-large', 'd', '16'),
  type('d-huge', 'd', '32'),
  type('e-large', 'e', '16'),
]);

const servicesWith = (settings: { unavailableAtMostSeconds: number }) => {
  const { clock, log, state } = testContext();
  return { clock, log, state, settings };
};

test('no refusal holds for longer than the configuration allows, whatever the cloud says', async () => {
  const services = servicesWith({ unavailableAtMostSeconds: 60 });
  const refused = { instanceType: 'd-large', zone: 'a', capacityType: 'on-demand' } as const;
  await markUnavailable(services, 'aks', refused, { kind: 'quota-exceeded', message: 'used up' }, 3600);
  const [mark] = [...(await unavailableOfferings(services, 'aks')).values()];
  expect(mark?.until).toBe(services.clock.now() + 60_000);
});

test('one refusal speaks for all that share its reason, and its words are told once', async () => {
  const services = servicesWith({ unavailableAtMostSeconds: 86_400 });
  const refused = { instanceType: 'd-large', zone: 'a', capacityType: 'on-demand' } as const;
  const reason = `the quota of family d is used up: ${'limit 8, in use 0, needed 16. '.repeat(6)}Ask for more`;
  const scope = {
    capacityType: 'on-demand',
    labels: { 'example.com/family': 'd' },
    labelsAtLeast: { 'example.com/cpu': 16 },
  } as const;
  await markUnavailable(services, 'aks', refused, { kind: 'quota-exceeded', message: reason, scope }, 600);
  const marks = await unavailableOfferings(services, 'aks');
  const isUnavailable = isMarked(marks);
  const choice = chooseOfferings({ catalog, requirements: new Map(), isUnavailable });

  expect(choice.soldOut.map(({ instanceType, capacityType }) => `${instanceType} ${capacityType}`).toSorted()).toEqual([
    'd-huge on-demand',
    'd-large on-demand',
  ]);
  const only = compileCatalog(
    [type('d-large', 'd', '16'), type('d-huge', 'd', '32')].map((one) => ({
      ...one,
      offerings: one.offerings.slice(1),
    })),
  );
  const { summary, refusedFirst } = chooseOfferings({ catalog: only, requirements: new Map(), isUnavailable });
  expect(refusedFirst?.overQuota).toBe(true);
  expect(summary.split('Ask for more')).toHaveLength(2);
});

test('a refusal that holds for some is not held against an offering of the same name that is sold to others', async () => {
  const services = servicesWith({ unavailableAtMostSeconds: 86_400 });
  const refused = { instanceType: 'd-large', zone: 'a', capacityType: 'on-demand' } as const;
  const scope = { zone: 'a', labels: { 'example.com/family': 'of another account' } };
  await markUnavailable(services, 'aks', refused, { kind: 'insufficient-capacity', message: 'full', scope }, 600);
  const isUnavailable = isMarked(await unavailableOfferings(services, 'aks'));
  expect(chooseOfferings({ catalog, requirements: new Map(), isUnavailable }).soldOut).toEqual([]);
});
