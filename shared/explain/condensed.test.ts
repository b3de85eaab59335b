import { expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { kindOf, renderDecision } from '../nodes/steps/report/decision-catalog.ts';
import { condensed } from './condensed.ts';

const offering = { instanceType: 'small', zone: 'z1', capacityType: 'spot' };

function coded(at: number, code: string, fields: { [field: string]: Json }) {
  return { at, step: kindOf(code)?.step ?? '', code, fields, text: renderDecision({ code, fields, text: '' }) };
}

const soldOutUntil = (at: number, until: string) =>
  coded(at, 'nothing-chosen', {
    reason: 'InsufficientCapacity',
    kind: 'insufficient-capacity',
    message: `small in z1 is sold out until ${until}`,
    soldOut: ['small/z1/spot'],
  });

test('choices that found the same sold out are one, whatever times their messages name', () => {
  const shown = condensed([soldOutUntil(1, '10:00'), soldOutUntil(2, '10:05'), soldOutUntil(3, '10:10')]);

  expect(shown).toMatchObject([{ at: 3, times: 3, since: 1, text: 'small in z1 is sold out until 10:10' }]);
});

test('another offering that is sold out is another story', () => {
  const other = soldOutUntil(2, '10:05');
  const shown = condensed([
    soldOutUntil(1, '10:00'),
    { ...other, fields: { ...other.fields, soldOut: ['large/z1/spot'] } },
  ]);

  expect(shown).toHaveLength(2);
});

test('the words of a cloud may differ where offering and kind are the same', () => {
  const failed = (at: number, message: string) =>
    coded(at, 'create-failed', { attempt: at, offering, others: 0, kind: 'throttled', message });

  expect(condensed([failed(1, 'request a-1 was throttled'), failed(2, 'request b-2 was throttled')])).toMatchObject([
    { at: 2, times: 2, since: 1 },
  ]);
});

test('a reason that stands in the line before is not told again, unless it is short', () => {
  const long = 'the identity lacks the right to write agent pools of this cluster; assign it a role';
  const fields = { attempt: 1, offering, others: 0, kind: 'unauthorised' };
  const close = { attempt: 1, reason: 'Unauthorized', kind: 'unauthorised', settleSeconds: 0 };
  const lines = (message: string) => [
    coded(1, 'create-failed', { ...fields, message }),
    coded(2, 'attempt-closed', { ...close, message }),
  ];

  expect(condensed(lines(long)).at(-1)?.text).toBe('attempt 1 is over: as above');
  expect(condensed(lines('no right')).at(-1)?.text).toBe('attempt 1 is over: no right');
});

test('entries without a code are the same where their sentences are, but for attempt and times', () => {
  const old = (at: number, text: string) => ({ at, step: 'choose', text });
  const failed = (attempt: number) => old(attempt, `attempt ${attempt}: a; next try at 2026-03-04T12:0${attempt}:00Z`);

  expect(condensed([failed(1), failed(2), failed(3)])).toMatchObject([{ at: 3, times: 3, since: 1 }]);

  expect(condensed([old(1, 'paused'), old(2, 'paused'), old(3, 'waits')])).toMatchObject([
    { at: 2, times: 2, text: 'paused' },
    { at: 3, text: 'waits' },
  ]);
});
