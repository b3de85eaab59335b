import { expect, it } from 'vitest';
import { ClaimsCost } from './claims-cost.ts';

const claim = (price?: string, providerID = 'sim:///i') => {
  const annotations: Record<string, string> = price === undefined ? {} : { 'poolwright.dev/price-per-hour': price };
  return { metadata: { name: 'a', uid: 'u', annotations }, status: { providerID } };
};

it('adds what is known, and counts what is not', () => {
  const cost = new ClaimsCost();
  for (const price of ['0.5', '1.25', undefined, 'free', '', '-3', '1e3', 'NaN', '٣']) cost.add(claim(price));
  expect(cost).toMatchObject({ perHour: 1.75, unknown: 7 });
});

it('leaves out claims without a machine', () => {
  const cost = new ClaimsCost();
  cost.add({ metadata: { name: 'a', uid: 'u', annotations: { 'poolwright.dev/price-per-hour': '3' } } });
  cost.add(claim('3', ''));
  expect(cost).toMatchObject({ perHour: 0, unknown: 0 });
});

it('begins anew', () => {
  const cost = new ClaimsCost();
  cost.add(claim('3'));
  cost.add(claim());
  cost.clear();
  expect(cost).toMatchObject({ perHour: 0, unknown: 0 });
});
