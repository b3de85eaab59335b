import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition } from '../base/kubernetes/object.ts';
import { cutText, plainLine } from '../base/text.ts';
import { maxMessageLength, setCondition } from './conditions.ts';

const noon = Date.UTC(2026, 0, 1, 12);

describe('setting a condition', () => {
  const launching = setCondition(
    [],
    { type: 'Launched', status: 'Unknown', reason: 'Creating' },
    { now: noon + 500, generation: 1 },
  );

  test('writes whole seconds, and the type as the reason where none is given', () => {
    expect(launching).toEqual([
      {
        type: 'Launched',
        status: 'Unknown',
        reason: 'Creating',
        message: '',
        lastTransitionTime: '2026-01-01T12:00:00Z',
        observedGeneration: 1,
      },
    ]);
    expect(setCondition([], { type: 'Launched', status: 'True' }, { now: noon })[0]?.reason).toBe('Launched');
  });

  test.each([
    ['Sold out!', 'Soldout'],
    ['42: Answer', 'Answer'],
    ['a:', 'a'],
    ['…', 'A'],
    ['x'.repeat(2000), 'x'.repeat(256)],
  ])('the reason %j becomes one that the API server accepts', (reason, expected) => {
    expect(setCondition([], { type: 'A', status: 'True', reason }, { now: noon })[0]?.reason).toBe(expected);
  });

  test('moves the transition time only when the status changes', () => {
    const waiting = setCondition(
      launching,
      { type: 'Launched', status: 'Unknown', reason: 'SoldOut' },
      { now: noon + 60_000 },
    );
    expect(waiting[0]).toMatchObject({ reason: 'SoldOut', lastTransitionTime: '2026-01-01T12:00:00Z' });
    const done = setCondition(waiting, { type: 'Launched', status: 'True' }, { now: noon + 90_000 });
    expect(done[0]?.lastTransitionTime).toBe('2026-01-01T12:01:30Z');
  });

  test('returns the same array when nothing changes, and a new one when only the generation does', () => {
    const again = { type: 'Launched', status: 'Unknown', reason: 'Creating' } as const;
    expect(setCondition(launching, again, { now: noon + 60_000, generation: 1 })).toBe(launching);
    expect(setCondition(launching, again, { now: noon + 60_000 })).toBe(launching);
    expect(setCondition(launching, again, { now: noon, generation: 2 })[0]?.observedGeneration).toBe(2);
  });

  test('leaves foreign conditions and the array it was given alone', () => {
    const foreign: Condition = {
      type: 'Foreign',
      status: 'True',
      reason: 'X',
      message: '',
      lastTransitionTime: '2025-01-01T00:00:00Z',
    };
    const before = [foreign, ...launching];
    const copy = structuredClone(before);
    const after = setCondition(before, { type: 'Launched', status: 'True' }, { now: noon });
    expect(before).toEqual(copy);
    expect(after[0]).toBe(foreign);
  });
});

describe('long messages', () => {
  // Any UTF-16 units, halves of characters among them.
  const anyText = fc
    .array(fc.oneof(fc.nat({ max: 0xffff }), fc.constantFrom(0xd83d, 0xde00)), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units));

  test('are cut with an ellipsis', () => {
    const [condition] = setCondition([], { type: 'A', status: 'True', message: 'x'.repeat(5000) }, { now: noon });
    expect(condition?.message).toHaveLength(maxMessageLength);
    expect(condition?.message.endsWith('…')).toBe(true);
  });

  test('are never cut through a character', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 40 }), (text, limit) => {
        const cut = cutText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        if (text.length <= limit) expect(cut).toBe(plainLine(text));
      }),
    );
  });
});
