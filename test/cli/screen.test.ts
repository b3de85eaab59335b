import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Row } from '../../cli/commands/demo/rows.ts';
import { claimTable } from '../../cli/commands/demo/rows.ts';
import { openScreen, type ScreenStream } from '../../cli/commands/demo/screen.ts';

const row = (changes: Partial<Row> = {}): Row => ({
  claim: 'web-1',
  wants: '2 CPU, any capacity',
  phase: 'Ready',
  type: 'arm-medium',
  zone: 'zone-a',
  capacity: 'spot',
  node: 'i-0123456789abcdef0',
  age: '3s',
  ...changes,
});

function terminal(properties: { isTTY: boolean; columns?: number; colors?: boolean }): {
  stream: ScreenStream;
  text(): string;
} {
  const through = new PassThrough();
  const { colors = false, ...rest } = properties;
  const stream = Object.assign(through, { rows: 40, ...rest, hasColors: () => colors });
  return { stream, text: () => String(through.read() ?? '') };
}

test('elsewhere than on a terminal, each change of a claim is one plain line, once', () => {
  const { stream, text } = terminal({ isTTY: false });
  const screen = openScreen(stream, claimTable);

  screen.chapter('the host starts');
  screen.show([row({ phase: 'Waiting', type: '', zone: '', capacity: '', node: '' })]);
  screen.show([row()]);
  screen.show([row({ age: '4s' })]);
  screen.statement('it holds', true);
  screen.statement('it does not', false);

  const lines = text()
    .replaceAll(/\[ *[\d.]+ s\]/g, '[t]')
    .trim()
    .split('\n');
  expect(lines).toEqual([
    '[t] the host starts',
    '[t]   web-1    Waiting',
    '[t]   web-1    Ready  arm-medium zone-a spot i-0123456789abcdef0',
    '[t] ok     it holds',
    '[t] FAILED it does not',
  ]);
});

test.each([30, 60, 90, 200])('on a terminal of %i columns no line is longer than that', (columns) => {
  const { stream, text } = terminal({ isTTY: true, columns });
  const screen = openScreen(stream, claimTable);

  screen.chapter('something that takes far more than thirty letters to say, and then some more of them');
  screen.statement('a statement that is also longer than the terminal might be, by quite a lot of letters', true);
  screen.show([row(), row({ claim: 'db-1', type: 'memory-medium' })]);

  const lines = text().split('\n').map(stripVTControlCharacters);
  expect(lines.some((line) => line.startsWith('db-1'))).toBe(true);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
});

test('a terminal without colors gets none', () => {
  const plain = terminal({ isTTY: true, columns: 100 });
  const colorful = terminal({ isTTY: true, columns: 100, colors: true });

  for (const { stream } of [plain, colorful]) openScreen(stream, claimTable).show([row()]);

  expect(plain.text()).not.toContain('\u001b[32m');
  expect(colorful.text()).toContain('\u001b[32m');
});
