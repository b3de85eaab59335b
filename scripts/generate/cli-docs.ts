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
  failed: 'the command failed, or a check found a problem',
  misused: 'the command line is invalid; nothing was done',
  declined: 'not confirmed, or no terminal to ask on; nothing was changed',
  interrupted: 'Ctrl-C',
};

const intro = `# The command

\`poolwright\`, or \`kubectl poolwright\` where the program is on the PATH as \`kubectl-poolwright\`. In a clone of the repository it is \`npx poolwright\`.

<!-- Made by scripts/generate/cli-docs.ts from cli/commands/: change it there. -->

Results go to stdout, everything else to stderr. Output is colored only on a terminal, and never with \`NO_COLOR\`. A command that changes something shows the change and asks for confirmation;
\`--yes\` confirms, \`--dry-run\` changes nothing. If an option names an environment variable, the variable is used when the option is not given.

| exit code | meaning |
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
