/** Every line that help gives as an example is one that the command line understands. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { poolwright } from './collect.ts';

const said: string[] = [];
const terminal = plainTerminal({ out: () => undefined, err: (text) => void said.push(text) });
/** Parses, and runs nothing. */
const parsed = () => createProgram('poolwright', terminal, async () => undefined);

const paths = (command: Command, above: readonly string[] = []): string[][] =>
  command.commands.flatMap((one) => [[...above, one.name()], ...paths(one, [...above, one.name()])]);

/** Words as a shell would split them; examples use no more of it than quotes. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) => single ?? double ?? plain ?? '');

describe('the examples of help', () => {
  test.each(paths(parsed()).map((path) => [path.join(' '), path] as const))('of %s can be parsed', async (_, path) => {
    const { out } = await poolwright(...path, '--help');
    const lines = out.split('\nExamples:\n')[1]?.trim().split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines.map((one) => one.trim())) {
      // A pipe into or out of it is the shell's; `npm run demo -- …` is the command by another name.
      const [command = ''] = line.split(/ [|<>] /).slice(line.startsWith('poolwright') ? 0 : -1);
      const [, ...args] = words(command.replace(/^npm run demo( --)?/, 'poolwright demo'));
      said.length = 0;
      await expect(parsed().parseAsync(args, { from: 'user' }), `${line}\n${said.join('')}`).resolves.toBeDefined();
    }
  });
});
