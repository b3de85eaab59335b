/** Writes docs/reference/cli.md from the commands themselves. Run it after a change there; a test fails meanwhile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { exitCodes } from '../../cli/terminal/exit-codes.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';

export const cliPage = join(import.meta.dirname, '../../docs/reference/cli.md');

const meanings: Record<keyof typeof exitCodes, string> = {
  done: 'done',
  failed: 'it could not be done, or what was checked is not in order',
  misused: 'the command line was not understood; nothing was tried',
  declined: 'somebody was asked, or could not be asked, and did not say yes; nothing was changed',
  interrupted: 'Ctrl-C',
};

const intro = `# The command

\`poolwright\`, or \`kubectl poolwright\` where the program is on the PATH as \`kubectl-poolwright\`. In a clone of the repository it is \`npx poolwright\`.

<!-- Made by scripts/generate/cli-docs.ts from cli/commands/: change it there. -->

What was asked for goes to stdout, everything else to stderr. Colours only on a terminal, and never with \`NO_COLOR\`. What changes something names it and asks first;
\`--yes\` answers, \`--dry-run\` changes nothing. Options that name a variable are taken from it where the command line does not have them.

| exit code | means |
|---|---|
`;

/** Every command and every command below it, in the order of help. */
const all = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...all(one)]);

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

export function cliDocs(): string {
  let printed = '';
  const terminal = plainTerminal({
    out: (text) => {
      printed += text;
    },
    err: () => undefined,
  });
  const program = createProgram('poolwright', terminal, async () => undefined);
  const helpOf = (command: Command): string => {
    printed = '';
    command.outputHelp();
    return printed.trim();
  };
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`,
  );
  const commands = all(program);
  const index = commands.map((one) => `| [\`${pathOf(one)}\`](#${anchorOf(pathOf(one))}) | ${one.description()} |`);
  const sections = commands.map((one) => `## ${pathOf(one)}\n\n\`\`\`text\n${helpOf(one)}\n\`\`\`\n`);
  return `${intro}${codes.join('\n')}\n\n| command | |\n|---|---|\n${index.join('\n')}\n\n${sections.join('\n')}`;
}

if (import.meta.main) writeFileSync(cliPage, cliDocs());
