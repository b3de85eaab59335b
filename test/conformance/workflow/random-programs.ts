/**
 * Random workflows must give the same result on a driver as on a plain interpreter that knows no journal, no replay and
 * no crash. Activities answer by the clock, so that a repeated execution can't change what comes out.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import {
  all,
  call,
  defineWorkflow,
  type Lazy,
  now,
  poll,
  type Steps,
  sleep,
  waitSignal,
} from '../../../shared/workflow/vocabulary.ts';
import type { MakeHarness, TestActivity } from './harness.ts';

type Leaf =
  /** Throws until so many seconds after its first execution. */
  | { kind: 'call'; id: number; failsFor: number; max: number; first: number; factor: number }
  /** Done so many seconds after its first round. */
  | { kind: 'poll'; id: number; doneAfter: number; every: number; for: number }
  | { kind: 'sleep'; seconds: number };
type Line = Leaf | { kind: 'all'; items: Leaf[] } | { kind: 'signal'; name: string; seconds: number } | { kind: 'now' };
type Program = Line[];

const small = (max: number) => fc.integer({ min: 0, max });
const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({
    kind: fc.constant('call' as const),
    id: fc.integer(),
    failsFor: small(20),
    max: fc.integer({ min: 1, max: 4 }),
    first: fc.integer({ min: 1, max: 9 }),
    factor: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    kind: fc.constant('poll' as const),
    id: fc.integer(),
    doneAfter: small(60),
    every: fc.integer({ min: 1, max: 30 }),
    for: small(60),
  }),
  fc.record({ kind: fc.constant('sleep' as const), seconds: small(50) }),
);
const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('all' as const), items: fc.array(leaf, { maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('signal' as const),
      name: fc.constantFrom('sent', 'unsent'),
      // The signal is sent right after the start: a wait of no time at all might be over by then.
      seconds: fc.integer({ min: 1, max: 30 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'now' as const }) },
);
// Every activity call has its own memory of when it was first asked.
const program: fc.Arbitrary<Program> = fc.array(line, { minLength: 1, maxLength: 7 }).map((lines) => {
  let id = 0;
  const numbered = <T extends Line>(one: T): T => ('id' in one ? { ...one, id: id++ } : one);
  return lines.map((one) => (one.kind === 'all' ? { ...one, items: one.items.map(numbered) } : numbered(one)));
});

const asLazy = (one: Leaf): Lazy<unknown> => {
  if (one.kind === 'sleep') return sleep(one.seconds);
  if (one.kind === 'poll') return poll('ask', { ...one }, { everySeconds: one.every, forSeconds: one.for });
  return call('do', { ...one }, { max: one.max, firstSeconds: one.first, factor: one.factor });
};

function* runLine(one: Line, startedAt: number): Steps<Json> {
  switch (one.kind) {
    case 'now':
      return (yield* now()) - startedAt;
    case 'signal':
      return yield* waitSignal(one.name, one.seconds);
    case 'all':
      return (yield* all(one.items.map(asLazy))) as Json;
    default:
      return ((yield* asLazy(one)) ?? null) as Json;
  }
}

const workflow = defineWorkflow({
  name: 'program',
  version: 1,
  *run(input: { program: Program }): Steps<Json> {
    const startedAt = yield* now();
    const out: Json[] = [];
    for (const one of input.program) {
      try {
        out.push(yield* runLine(one, startedAt));
      } catch (error) {
        out.push(`threw ${(error as Error).message}`);
      }
    }
    return [...out, (yield* now()) - startedAt];
  },
});

function makeActivities(clock: () => number): Record<string, TestActivity> {
  const first = new Map<number, number>();
  const since = (id: number) => {
    if (!first.has(id)) first.set(id, clock());
    return (clock() - first.get(id)!) / 1000;
  };
  return {
    do: async (input) => {
      const { id, failsFor } = input as Extract<Leaf, { kind: 'call' }>;
      if (since(id) < failsFor) throw new Error(`not yet ${id}`);
      return { id };
    },
    ask: async (input) => {
      const { id, doneAfter } = input as Extract<Leaf, { kind: 'poll' }>;
      return since(id) >= doneAfter ? { done: true, value: id } : { done: false };
    },
  };
}

// --- the interpreter: seconds and plain loops ---------------------------------------------------------------------

type Ended = { seconds: number; ok: true; value: Json } | { seconds: number; ok: false; error: string };

function interpretLeaf(one: Leaf): Ended {
  if (one.kind === 'sleep') return { seconds: one.seconds, ok: true, value: null };
  if (one.kind === 'call') {
    let seconds = 0;
    for (let tries = 1; ; tries++) {
      if (seconds >= one.failsFor) return { seconds, ok: true, value: { id: one.id } };
      if (tries === one.max) return { seconds, ok: false, error: `not yet ${one.id}` };
      seconds += one.first * one.factor ** (tries - 1);
    }
  }
  for (let seconds = 0; ; seconds = Math.min(seconds + one.every, one.for)) {
    if (seconds >= one.doneAfter) return { seconds, ok: true, value: { done: true, value: one.id } };
    if (seconds >= one.for) return { seconds, ok: true, value: { done: false } };
  }
}

function interpret(lines: Program): Json[] {
  let seconds = 0;
  let sent = true;
  const out = lines.map((one): Json => {
    switch (one.kind) {
      case 'now':
        return seconds * 1000;
      case 'signal': {
        const came = one.name === 'sent' && sent;
        if (came) sent = false;
        else seconds += one.seconds;
        return came;
      }
      case 'all': {
        const ends = one.items.map(interpretLeaf);
        seconds += Math.max(0, ...ends.map((end) => end.seconds));
        return ends.map((end) => (end.ok ? { ok: true, value: end.value } : { ok: false, error: end.error }));
      }
      default: {
        const end = interpretLeaf(one);
        seconds += end.seconds;
        return end.ok ? end.value : `threw ${end.error}`;
      }
    }
  });
  return [...out, seconds * 1000];
}

export function randomPrograms(makeHarness: MakeHarness): void {
  describe('random programs', () => {
    const check = async (lines: Program, crashes: readonly (readonly [number, 'before' | 'after'])[]) => {
      const clock = { now: () => 0 };
      const harness = await makeHarness({ workflows: [workflow], activities: makeActivities(() => clock.now()) });
      try {
        clock.now = () => harness.now();
        for (const [execution, when] of crashes) harness.crashAt(execution, when);
        await harness.client.ensure({ workflow, key: 'k', input: { program: lines }, group: 'g' });
        // The first step may have run and died already: a sender comes back too.
        await harness.runFor(0);
        await harness.client.signal('k', 'sent');
        await harness.runUntilIdle();
        expect(await harness.client.latest('k')).toMatchObject({ status: 'completed', result: interpret(lines) });
      } finally {
        await harness.close();
      }
    };

    it('give what a plain interpreter gives', async () => {
      await fc.assert(
        fc.asyncProperty(program, (lines) => check(lines, [])),
        { numRuns: 25 },
      );
    });

    it('give the same when the process dies now and then', async () => {
      // Far enough apart that no step is hit three times in a row, which would set it aside.
      const when = fc.constantFrom('before' as const, 'after' as const);
      const crashes = fc.tuple(
        fc.tuple(fc.integer({ min: 0, max: 3 }), when),
        fc.tuple(fc.integer({ min: 10, max: 12 }), when),
      );
      await fc.assert(
        fc.asyncProperty(program, crashes, (lines, at) => check(lines, at)),
        { numRuns: 25 },
      );
    });
  });
}
