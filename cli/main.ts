/** The `poolwright` command, also as `kubectl poolwright`: from words to an exit code. */
import { type Command, CommanderError } from 'commander';
import { nearest } from '../shared/base/nearest.ts';
import type { ErrorCode } from '../shared/observe/errors/catalog.ts';
import { createProgram } from './program.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { type Output, plainTerminal, processTerminal, type Terminal } from './terminal/terminal.ts';
import { UserError } from './terminal/user-error.ts';

export type { Output } from './terminal/terminal.ts';

/** Returns the exit code. `calledAs` is how the user called it, for help. */
export async function main(
  args: readonly string[],
  given?: Output | Terminal,
  calledAs = 'poolwright',
): Promise<number> {
  const terminal = given === undefined ? processTerminal() : whole(given);
  let code: number = exitCodes.done;
  const program = createProgram(calledAs, terminal, async (run) => {
    code = await run(terminal);
  });
  // Commander knows options before a command only; people write this one wherever they notice.
  const debug = args.includes('--debug');
  const words = commandFirst(args.filter((word) => word !== '--debug'));
  const misused = (): number => {
    terminal.err(`More: ${calledAs} errors ${invalidCommand}\n`);
    return exitCodes.misused;
  };
  const unknown = unknownCommand(program, words, calledAs);
  if (unknown !== undefined) {
    terminal.err(unknown);
    return misused();
  }
  if (words.length === 0) {
    program.outputHelp();
    return exitCodes.done;
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      // A family without a command shows its help, which says it all.
      return error.code === 'commander.help' ? exitCodes.misused : misused();
    }
    if (error instanceof Error && error.name === 'AbortError' && terminal.signal.aborted) return exitCodes.interrupted;
    const { errorText } = await import('./terminal/error-text.ts');
    terminal.err(errorText(error, { debug, calledAs }));
    return error instanceof UserError ? error.exitCode : exitCodes.failed;
  }
}

/** By its name alone: the catalog is not loaded for it. */
const invalidCommand: ErrorCode = 'InvalidCommand';

/** Of kubectl, which takes them before the command too; and whether a value follows. */
const kubectlFlags: Readonly<Record<string, boolean>> = {
  '--context': true,
  '--kubeconfig': true,
  '-n': true,
  '--namespace': true,
  '-A': false,
  '--all-namespaces': false,
};

/** `--context east get claims` as `get claims --context east`: each command knows by itself which of them it takes. */
function commandFirst(words: readonly string[]): readonly string[] {
  let count = 0;
  for (let word = words[count]; word !== undefined; word = words[count]) {
    const [flag = ''] = word.split('=');
    if (!Object.hasOwn(kubectlFlags, flag)) break;
    count += kubectlFlags[flag] && !word.includes('=') ? 2 : 1;
  }
  const rest = words.slice(count);
  return rest[0] === undefined || rest[0].startsWith('-') ? words : [...rest, ...words.slice(0, count)];
}

const whole = (given: Output | Terminal): Terminal => ('signal' in given ? given : plainTerminal(given));

/**
 * A list is what many a bare command does, so the parser would take a misspelled command for one of its arguments.
 */
function unknownCommand(command: Command, words: readonly string[], path: string): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || first.startsWith('-')) return undefined;
  if (command.commands.length === 0 || command.registeredArguments.length > 0) return undefined;
  const found = command.commands.find((one) => [one.name(), ...one.aliases()].includes(first));
  if (found) return unknownCommand(found, rest, `${path} ${found.name()}`);
  const known = [...command.commands.flatMap((one) => [one.name(), ...one.aliases()]), 'help'];
  if (known.includes(first)) return undefined;
  const near = nearest(first, known);
  const hint = near === undefined ? `Commands: ${known.join(', ')}.` : `Did you mean ${near}?`;
  return `error: ${path} has no command '${first}'. ${hint}\n`;
}
