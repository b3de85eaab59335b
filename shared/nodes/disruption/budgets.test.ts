import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { allowance, budgetProblems } from './budgets.ts';
import type { Budget } from './types.ts';

const noon = Date.UTC(2026, 0, 5, 12); // a Monday
const hour = 3_600_000;

describe('allowance', () => {
  it.each([
    ['10%', 3, 1],
    ['10%', 11, 2],
    ['50%', 3, 2],
    ['0%', 50, 0],
    ['100%', 7, 7],
    ['10%', 0, 0],
    ['3', 2, 3],
    ['0', 9, 0],
  ])('%s of %i nodes is %i', (nodes, count, expected) => {
    expect(allowance([{ nodes }], 'Drifted', count, noon).nodes).toBe(expected);
  });

  it('takes the strictest of the budgets that are active', () => {
    const budgets: Budget[] = [{ nodes: '50%' }, { nodes: '2' }, { nodes: '30%' }];
    expect(allowance(budgets, 'Drifted', 20, noon)).toEqual({ nodes: 2, because: 'budget 2' });
  });

  it('leaves out what speaks of other reasons, and has no bound without a budget', () => {
    const budgets: Budget[] = [{ nodes: '0', reasons: ['Empty'] }];
    expect(allowance(budgets, 'Drifted', 5, noon).nodes).toBe(Number.POSITIVE_INFINITY);
    expect(allowance(budgets, 'Empty', 5, noon).nodes).toBe(0);
    expect(allowance([{ nodes: '0', reasons: [] }], 'Drifted', 5, noon).nodes).toBe(0);
  });

  it.each([
    ['right at the beginning', 9 * hour, 0],
    ['in the middle', 12 * hour, 0],
    ['in the last minute', 17 * hour - 60_000, 0],
    ['right at the end', 17 * hour, 5],
    ['before', 9 * hour - 1, 5],
  ])('a schedule holds from its time on for its duration, in UTC: %s', (_, at, expected) => {
    const budgets: Budget[] = [{ nodes: '5' }, { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }];
    expect(allowance(budgets, 'Drifted', 5, Date.UTC(2026, 0, 5) + at).nodes).toBe(expected);
  });

  it('knows the days of the week and the short names', () => {
    const sunday = Date.UTC(2026, 0, 4, 12);
    expect(allowance([{ nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }], 'Drifted', 5, sunday).nodes).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(allowance([{ nodes: '1', schedule: '@daily', duration: '24h' }], 'Drifted', 5, noon).nodes).toBe(1);
  });

  it.each<[string, Budget]>([
    ['a schedule that is none', { nodes: '5', schedule: 'whenever', duration: '1h' }],
    ['a minute that does not exist', { nodes: '5', schedule: '99 * * * *', duration: '1h' }],
    ['six fields', { nodes: '5', schedule: '0 0 9 * * *', duration: '1h' }],
    ['no duration', { nodes: '5', schedule: '0 9 * * *' }],
    ['no schedule', { nodes: '5', duration: '1h' }],
    ['a number that is none', { nodes: 'some' }],
    ['more than all', { nodes: '120%' }],
  ])('allows nothing for %s, and says what is wrong', (_, budget) => {
    expect(allowance([{ nodes: '100%' }, budget], 'Drifted', 5, noon).nodes).toBe(0);
    expect(budgetProblems([{ nodes: '1' }, budget])).toMatchObject([{ path: 'spec.disruption.budgets[1]' }]);
  });
});

/** Every minute of the day, one by one: the budget holds if it began in one of the last `minutes`. */
function heldByTheClock(startMinute: number, minutes: number, at: number): boolean {
  for (let back = 0; back < minutes; back++) if ((((at - back) % 1440) + 1440) % 1440 === startMinute) return true;
  return false;
}

test.prop([
  fc.integer({ min: 0, max: 1439 }),
  fc.integer({ min: 1, max: 1500 }),
  fc.integer({ min: 0, max: 1439 }),
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 0, max: 200 }),
])('a daily budget agrees with a look at every minute', (start, minutes, at, percent, nodes) => {
  const schedule = `${start % 60} ${Math.floor(start / 60)} * * *`;
  const budget: Budget = { nodes: `${percent}%`, schedule, duration: `${minutes}m` };
  const now = Date.UTC(2026, 0, 5) + at * 60_000;
  let share = 0;
  while (share * 100 < nodes * percent) share++;
  expect(allowance([budget], 'Drifted', nodes, now).nodes).toBe(
    heldByTheClock(start, minutes, at) ? share : Number.POSITIVE_INFINITY,
  );
});
