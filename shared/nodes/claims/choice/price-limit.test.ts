import { expect, test } from 'vitest';
import { parseRequirements } from '../spec/requirements.ts';
import { parseResources } from '../spec/resources.ts';
import type { Requirement } from '../spec/types.ts';
import type { CapacityType } from '../spec/well-known.ts';
import { compileCatalog } from './catalog.ts';
import type { ChoiceInput, UnavailableMark } from './choice.ts';
import { chooseOfferings } from './choose.ts';
import type { InstanceType } from './offerings.ts';

const type = (name: string, cpu: string, prices: Partial<Record<CapacityType, number | undefined>>): InstanceType => ({
  name,
  labels: {},
  capacity: { cpu },
  offerings: Object.entries(prices).map(([capacityType, price]) => ({
    instanceType: name,
    zone: 'a',
    capacityType: capacityType as CapacityType,
    price,
    available: true,
  })),
});

const catalog = compileCatalog([
  type('small', '4', { spot: 0.02, 'on-demand': 0.2 }),
  type('medium', '8', { 'on-demand': 0.4 }),
  type('huge', '96', { 'on-demand': 8 }),
  type('unpriced', '128', { 'on-demand': undefined }),
]);

function choose(refused: Record<string, UnavailableMark>, more: Partial<ChoiceInput> = {}, wishes: Requirement[] = []) {
  const requirements = parseRequirements(wishes);
  const requests = parseResources({ cpu: '3' });
  if (!requirements.ok || !requests.ok) throw new Error('bad test input');
  return chooseOfferings({
    catalog,
    requirements: requirements.value,
    requests: requests.value,
    isUnavailable: ({ instanceType, capacityType }) => refused[`${instanceType}/${capacityType}`],
    maxPriceRatio: 10,
    ...more,
  });
}

const types = ({ candidates }: ReturnType<typeof choose>): string[] =>
  candidates.map(({ instanceType, capacityType }) => `${instanceType}/${capacityType}`);

const soldOut = { reason: 'none left' };
const overQuota = { reason: 'limit 8, in use 8', quota: true } as const;

test('what costs more than the ceiling is not a candidate; without a ratio everything is', () => {
  expect(types(choose({}))).toEqual(['small/spot', 'small/on-demand', 'medium/on-demand', 'unpriced/on-demand']);
  const without = choose({}, { maxPriceRatio: 0 });
  expect(types(without)).toContain('huge/on-demand');
  expect(without.tooDear).toBeUndefined();
});

test('the ceiling is measured by on-demand: a claim whose spot is out may fall back to it', () => {
  expect(types(choose({ 'small/spot': soldOut }))[0]).toBe('small/on-demand');
});

test('when everything below the ceiling is refused, the claim waits, and says what it does not take', () => {
  const refused = { 'small/spot': soldOut, 'small/on-demand': overQuota, 'medium/on-demand': soldOut };
  const choice = choose(refused);
  expect(choice.outcome).toBe('sold-out');
  expect(choice.tooDear).toEqual({ offerings: 2, ceiling: 2 });
  expect(choice.summary).toContain('2 more offerings are not taken: over the price ceiling of $2 per hour');
  const reasons = new Map(choice.rejections.map(({ instanceType, kind, reason }) => [instanceType, { kind, reason }]));
  expect(reasons.get('huge')).toEqual({ kind: 'price', reason: '$8 per hour is over the price ceiling of $2' });
  expect(reasons.get('unpriced')?.reason).toMatch(/price is unknown, and an offering with a known price is over quota/);
});

test('an unknown price is taken when known ones are only out of capacity, never when one is over quota', () => {
  const out = { 'small/spot': soldOut, 'small/on-demand': soldOut, 'medium/on-demand': soldOut };
  expect(types(choose(out))).toEqual(['unpriced/on-demand']);
  expect(types(choose({ ...out, 'medium/on-demand': overQuota }))).toEqual([]);
});

test('what was refused first is told first, also when what was tried after it is out for another reason', () => {
  const until = (seconds: number) => seconds * 1000;
  const choice = choose({
    'small/spot': { ...overQuota, until: until(600) },
    'small/on-demand': { ...soldOut, until: until(60) },
    'medium/on-demand': { ...soldOut, until: until(61) },
  });
  expect(choice.refusedFirst).toMatchObject({ instanceType: 'small', capacityType: 'spot', overQuota: true });
  expect(choice.summary.indexOf('limit 8, in use 8')).toBeLessThan(choice.summary.indexOf('none left'));
});

test('who asks for more values than the ceiling leaves gets them', () => {
  const key = 'node.kubernetes.io/instance-type';
  const choice = choose({}, {}, [{ key, operator: 'Exists', minValues: 4 }]);
  expect(choice.outcome).toBe('available');
  expect(types(choice)).toContain('huge/on-demand');
});

test('what is paid for already sets no ceiling', () => {
  const reserved = compileCatalog([type('small', '4', { reserved: 0, spot: 0.02 })]);
  expect(types(choose({ 'small/reserved': soldOut }, { catalog: reserved }))).toEqual(['small/spot']);
});
