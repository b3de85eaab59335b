import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerHeap } from './timer-heap.ts';

describe('the timer heap', () => {
  it('gives what is due, earliest first, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), fc.nat(100), (times, now) => {
        const heap = new TimerHeap<number>();
        for (const at of times) heap.add(at, at);
        const taken: number[] = [];
        for (let entry = heap.takeDue(now); entry; entry = heap.takeDue(now)) taken.push(entry.value);

        expect(taken).toEqual(times.filter((at) => at <= now).sort((a, b) => a - b));
        expect(heap.size).toBe(times.length - taken.length);
        expect(heap.next).toBe(Math.min(Number.POSITIVE_INFINITY, ...times.filter((at) => at > now)));
      }),
    );
  });
});
