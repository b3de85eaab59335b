import { expect, it } from 'vitest';
import type { Planned } from './planned.ts';
import { totalOf, totalText } from './total.ts';

const offering = { instanceType: 'large', zone: 'zone-01', capacityType: 'on-demand' } as Planned['chosen'];

const planOf = (count: number, after: number): Planned => ({
  file: 'a.yaml',
  line: 1,
  title: 'NodeClaim a',
  outcome: 'launch',
  rejections: [],
  candidates: [],
  candidateCount: 0,
  provider: 'private',
  problems: [],
  count,
  ...(offering === undefined ? {} : { chosen: offering }),
  quota: [
    { name: 'instances of account a', used: 3, limit: 4, unit: 'instances', after },
    { name: 'volumes of account a', used: 9, limit: 9, unit: 'volumes' },
  ],
});

it('adds up what several plans need from one quota, which each of them alone would keep', () => {
  const total = totalOf([planOf(1, 4), planOf(1, 4)]);
  expect(total.beyondQuota).toEqual([
    'instances of account a has 3 of 4 instances in use, and 5 would exceed the quota',
  ]);
  expect(totalText(total)).toMatch(/^2 machines, price unknown; instances of account a has 3 of 4 /);
});

it('says nothing of a quota that is kept, nor of one plan, which says it itself', () => {
  expect(totalOf([planOf(1, 4), planOf(0, 3)]).beyondQuota).toEqual([]);
  expect(totalOf([planOf(2, 5)]).beyondQuota).toEqual([]);
});
