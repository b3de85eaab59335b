import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { DueHeap } from './due-heap.ts';

test.prop([fc.array(fc.integer({ min: 0, max: 20 })), fc.integer({ min: 0, max: 20 })])(
  'gives out what is due, soonest first, and equals in the order in which they came',
  (times, now) => {
    const heap = new DueHeap<{ at: number; order: number }>();
    for (const [order, at] of times.entries()) heap.push({ at, order });

    const taken: { at: number; order: number }[] = [];
    for (let item = heap.popDue(now); item !== undefined; item = heap.popDue(now)) taken.push(item);

    const due = times.map((at, order) => ({ at, order })).filter(({ at }) => at <= now);
    expect(taken).toEqual(due.sort((a, b) => a.at - b.at || a.order - b.order));
    expect(heap.size).toBe(times.length - due.length);
    const later = times.filter((at) => at > now);
    expect(heap.nextAt).toBe(later.length === 0 ? undefined : Math.min(...later));
  },
);
