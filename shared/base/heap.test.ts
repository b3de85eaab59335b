import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueHeap } from './heap.ts';

describe('the heap', () => {
  it('gives what is due, earliest first, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), fc.nat(100), (times, now) => {
        const heap = new DueHeap<number>();
        for (const at of times) heap.add(at, at);
        const taken: number[] = [];
        for (let entry = heap.takeDue(now); entry; entry = heap.takeDue(now)) taken.push(entry.value);

        expect(taken).toEqual(times.filter((at) => at <= now).sort((a, b) => a - b));
        expect(heap.size).toBe(times.length - taken.length);
        expect(heap.next).toBe(Math.min(Number.POSITIVE_INFINITY, ...times.filter((at) => at > now)));
      }),
    );
  });

  it('gives what is due at the same time in the order in which it came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5)), (times) => {
        const heap = new DueHeap<number>();
        for (const [order, at] of times.entries()) heap.add(at, order);
        const taken: number[] = [];
        for (let entry = heap.takeDue(5); entry; entry = heap.takeDue(5)) taken.push(entry.value);

        const expected = times.map((at, order) => ({ at, order })).sort((a, b) => a.at - b.at || a.order - b.order);
        expect(taken).toEqual(expected.map(({ order }) => order));
      }),
    );
  });
});
