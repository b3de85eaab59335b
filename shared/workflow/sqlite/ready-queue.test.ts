import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadyEntry, ReadyQueue } from './ready-queue.ts';

interface Step extends ReadyEntry {
  readonly name: string;
}
const step = (name: string, group = 'g', kills = 0): Step => ({ name, group, kills });

function takeAll(queue: ReadyQueue<Step>): Step[] {
  const taken: Step[] = [];
  for (let entry = queue.take(); entry; entry = queue.take()) taken.push(entry);
  return taken;
}
const names = (steps: readonly Step[]) => steps.map((one) => one.name);

describe('the ready queue', () => {
  it('takes turns between groups and keeps the order within one', () => {
    const queue = new ReadyQueue<Step>({ concurrency: 10, perGroup: 10, suspects: 2 });
    for (const one of [step('a1', 'a'), step('a2', 'a'), step('a3', 'a'), step('b1', 'b')]) queue.push(one);

    expect(names(takeAll(queue))).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('lets a group at its limit wait, and takes it up again when a step ends', () => {
    const queue = new ReadyQueue<Step>({ concurrency: 3, perGroup: 1, suspects: 2 });
    for (const one of [step('a1', 'a'), step('a2', 'a'), step('b1', 'b')]) queue.push(one);
    const first = takeAll(queue);
    expect(names(first)).toEqual(['a1', 'b1']);
    queue.release(first[0]!);

    expect(names(takeAll(queue))).toEqual(['a2']);
  });

  it('takes what follows on another step first, and now and then one of the others', () => {
    const queue = new ReadyQueue<Step>({ concurrency: 1, perGroup: 1, suspects: 2 });
    queue.push(step('new1'));
    queue.push(step('new2'));
    queue.push({ ...step('next0'), follows: true });
    const order: string[] = [];
    for (let round = 1; queue.waiting > 0 && round < 40; round++) {
      const entry = queue.take()!;
      order.push(entry.name);
      // As a workflow that never waits would.
      if (entry.follows) queue.push({ ...step(`next${round}`), follows: true });
      queue.release(entry);
    }

    expect(order.slice(0, 3)).toEqual(['next0', 'next1', 'next2']);
    expect(order.indexOf('new1')).toBe(15);
    expect(order.indexOf('new2')).toBe(31);
  });

  it('runs suspects a few at a time, and one that was there twice without any other beside it', () => {
    const queue = new ReadyQueue<Step>({ concurrency: 10, perGroup: 10, suspects: 2 });
    for (const one of [step('grave1', 'g', 2), step('s1', 'g', 1), step('s2', 'g', 1), step('s3', 'g', 1)]) {
      queue.push(one);
    }
    queue.push(step('grave2', 'g', 2));
    queue.push(step('fresh'));

    const order: string[][] = [];
    let running = takeAll(queue);
    while (running.length > 0) {
      order.push(names(running));
      for (const one of running) queue.release(one);
      running = takeAll(queue);
    }
    expect(order).toEqual([['s1', 's2', 'fresh'], ['s3'], ['grave1'], ['grave2']]);
  });

  it('never breaks a limit and forgets nothing, whatever the order of pushes, takes and releases', () => {
    const action = fc.oneof(
      fc.record({
        push: fc.constantFrom('a', 'b', 'c'),
        kills: fc.constantFrom(0, 0, 0, 1, 2),
        follows: fc.boolean(),
      }),
      fc.constant('take' as const),
      fc.nat(20).map((release) => ({ release })),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const limits = { concurrency: 4, perGroup: 2, suspects: 2 };
        const queue = new ReadyQueue<Step>(limits);
        const running: Step[] = [];
        let pushed = 0;
        let ended = 0;
        const take = () => {
          const taken = queue.take();
          if (taken) running.push(taken);
        };
        const release = (index: number) => {
          const [one] = running.splice(index % running.length, 1);
          if (one) queue.release(one);
          ended++;
        };
        for (const one of actions) {
          if (one === 'take') take();
          else if ('push' in one) {
            queue.push({ ...step(`${pushed++}`, one.push, one.kills), follows: one.follows });
          } else if (running.length > 0) release(one.release);
          const trusted = running.filter((entry) => entry.kills === 0);
          const grave = running.filter((entry) => entry.kills > 1).length;
          const suspects = running.length - trusted.length;
          expect(running.length).toBeLessThanOrEqual(limits.concurrency);
          expect(suspects).toBeLessThanOrEqual(grave > 0 ? 1 : limits.suspects);
          for (const group of ['a', 'b', 'c']) {
            expect(trusted.filter((entry) => entry.group === group).length).toBeLessThanOrEqual(limits.perGroup);
          }
          expect(queue.waiting + queue.running + ended).toBe(pushed);
        }
        for (let rounds = 0; queue.waiting + queue.running > 0 && rounds < 2000; rounds++) {
          take();
          if (running.length > 0) release(0);
        }
        expect(ended).toBe(pushed);
      }),
    );
  });
});
