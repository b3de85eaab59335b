import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ClaimRow } from '../../terminal/claim-row/claim-row.ts';
import { frame, type Picture } from './frame.ts';
import { sorted } from './rows.ts';
import { summaryLines, summaryOf } from './summary.ts';
import { firstView, type View } from './view.ts';

const now = Date.UTC(2026, 0, 2);

const row = (name: string, more: Partial<ClaimRow> = {}): ClaimRow => ({
  name,
  uid: `uid-${name}`,
  ready: 'True',
  stage: 'Ready',
  since: '2026-01-01T23:50:00Z',
  createdAt: '2026-01-01T12:00:00Z',
  provider: 'sim',
  instanceType: 'general-small',
  zone: 'zone-a',
  capacityType: 'spot',
  node: `node-of-${name}`,
  pool: 'workers',
  providerID: `sim:///zone-a/${name}`,
  image: 'image-1',
  price: 0.048,
  why: undefined,
  ...more,
});

const without = { providerID: undefined, price: undefined, node: undefined, ready: 'Unknown' };

const rows = [
  row('ready-1'),
  row('ready-2', { price: undefined }),
  row('failed', {
    ...without,
    stage: 'Failed',
    instanceType: undefined,
    why: { type: 'Launched', reason: 'InsufficientCapacity', message: 'every offering that fits is sold out' },
  }),
  row('creating', {
    ...without,
    stage: 'Creating',
    createdAt: '2026-01-01T23:59:00Z',
    why: { type: 'Launched', reason: 'Launching', message: 'a machine is being created' },
  }),
  row('draining', {
    stage: 'Draining',
    price: 3.5,
    why: { type: 'Drained', reason: 'Draining', message: 'node draining has 2 pods to lose' },
  }),
];

const picture = (view: Partial<View> = {}, more: Partial<Picture> = {}): Picture => ({
  title: 'poolwright top   production   00:00:00 UTC',
  summary: summaryLines(summaryOf(rows), { ready: 3, total: 3, others: 1 }),
  rows: sorted(rows, 'stage'),
  view: { ...firstView, ...view },
  trouble: undefined,
  now,
  color: false,
  ...more,
});

describe('a picture', () => {
  test.each([
    [40, 10],
    [80, 24],
    [200, 50],
  ])('of %d columns and %d lines is as large as that', async (columns, lines) => {
    const drawn = frame(picture(), { columns, lines });

    expect(drawn).toHaveLength(lines);
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(columns);
    await expect(`${drawn.join('\n').trimEnd()}\n`).toMatchFileSnapshot(`__snapshots__/top-${columns}x${lines}.txt`);
  });

  test('fits into any terminal, however small', () => {
    for (let lines = 1; lines < 20; lines++) {
      for (const columns of [1, 2, 5, 20]) {
        const drawn = frame(picture({ filter: 'x', isHelp: lines % 2 === 0 }), { columns, lines });
        expect(drawn).toHaveLength(lines);
        expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(columns);
      }
    }
  });

  test('says the same with colors as without', () => {
    const size = { columns: 120, lines: 20 };
    const colored = frame(picture({}, { color: true }), size);

    expect(colored.join('\n')).toContain('\u001b[31mFailed\u001b[39m');
    expect(colored.map(stripVTControlCharacters)).toEqual(frame(picture(), size));
  });

  test('shows help in the place of the rows', async () => {
    await expect(`${frame(picture({ isHelp: true }), { columns: 100, lines: 20 }).join('\n')}\n`).toMatchFileSnapshot(
      '__snapshots__/top-help.txt',
    );
  });

  test('shows what is typed, and that nothing fits', () => {
    const drawn = frame(picture({ filter: 'none', isTyping: true }, { rows: [] }), { columns: 60, lines: 20 });

    expect(drawn).toContain('No claims match the filter.');
    expect(drawn.at(-1)).toBe('/none_');
  });

  test('says when the watch has a break', () => {
    const drawn = frame(picture({}, { trouble: 'connect ECONNREFUSED' }), { columns: 100, lines: 20 });

    expect(drawn.at(-1)).toBe('The watch was interrupted: connect ECONNREFUSED. Retrying.');
  });

  test('lets no name and no message move the cursor', () => {
    const bad = row('x', { why: { type: 'Launched', reason: 'R', message: '\u001b[2Jboo\r\n' } });
    const drawn = frame(picture({ filter: '\u001b[H' }, { rows: [bad], title: '\u0007' }), { columns: 200, lines: 20 });

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(drawn.join('')).not.toMatch(/[\u0000-\u001f]/);
  });

  test('of ten thousand claims holds a page of them', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => row(`claim-${String(index).padStart(5, '0')}`));
    const drawn = frame(picture({ offset: 9_995 }, { rows: many }), { columns: 100, lines: 24 });

    expect(drawn.at(-1)).toMatch(/^9985-10000 of 10000/);
    expect(drawn.at(-2)).toContain('claim-09999');
  });
});

describe('the order', () => {
  test.each([
    ['stage', ['failed', 'creating', 'ready-1', 'ready-2', 'draining']],
    ['age', ['creating', 'draining', 'failed', 'ready-1', 'ready-2']],
    // What nobody knows the price of might be the dearest.
    ['price', ['ready-2', 'draining', 'ready-1', 'creating', 'failed']],
    ['name', ['creating', 'draining', 'failed', 'ready-1', 'ready-2']],
  ] as const)('by %s', (key, expected) => {
    expect(sorted(rows, key).map(({ name }) => name)).toEqual(expected);
  });
});

describe('the head', () => {
  const cost = (given: ClaimRow[]): string => summaryLines(summaryOf(given), 'nodes')[2] ?? '';

  test.each<[string, ClaimRow[], string]>([
    ['no claim costs nothing', [], 'Cost     nothing'],
    ['an unknown price is not nothing', [row('a', { price: undefined })], 'Cost     1 with unknown prices'],
    [
      'a sum says what it is without',
      [row('a', { price: 2 }), row('b', { price: undefined })],
      'Cost     $2.00/h, $1,460/month + 1 with unknown prices',
    ],
    [
      'what has no machine yet costs nothing yet',
      [row('a', without), row('b', { price: 1 })],
      'Cost     $1.00/h, $730.00/month',
    ],
    ['large sums can be read', [row('a', { price: 98_765.4 })], 'Cost     $98,765/h, $72,098,742/month'],
  ])('%s', (_, given, expected) => {
    expect(cost(given)).toBe(expected);
  });

  test('counts failures by their reason, the most frequent first', () => {
    const failed = (name: string, reason: string): ClaimRow =>
      row(name, { stage: 'Failed', why: { type: 'Launched', reason, message: '' } });
    const lines = summaryLines(summaryOf([failed('a', 'A'), failed('b', 'B'), failed('c', 'B')]), 'not to be seen');

    expect(lines.at(-1)).toBe('Failures 2 B, 1 A');
    expect(lines[0]).toBe('Nodes    not to be seen');
  });
});
