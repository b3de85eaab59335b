import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { poolwright } from './collect.ts';

const silent = plainTerminal({ out: () => undefined, err: () => undefined });
const program = createProgram('poolwright', silent, async () => undefined);

/** Every command and every command below it, as the words that call it. */
const paths = (command: Command, above: readonly string[] = []): string[][] =>
  command.commands.flatMap((one) => [[...above, one.name()], ...paths(one, [...above, one.name()])]);

describe('help', () => {
  test('lists every command', async () => {
    const { code, out, err } = await poolwright('--help');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot('__snapshots__/help/poolwright.txt');
  });

  test.each(paths(program).map((words) => [words.join(' '), words] as const))(
    'of %s has an example',
    async (name, words) => {
      const { code, out } = await poolwright(...words, '--help');

      expect(code).toBe(0);
      expect(out).toContain('Examples:');
      await expect(out).toMatchFileSnapshot(`__snapshots__/help/${name.replaceAll(' ', '-')}.txt`);
    },
  );
});
