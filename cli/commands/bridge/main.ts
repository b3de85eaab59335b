/** The command line of the bridge alone: a bundle of it holds nothing of the other commands, which keeps the process small. */
import { Command, CommanderError } from 'commander';
import { UserError } from '../../terminal/user-error.ts';
import { addBridgeOptions, bridgeDescription } from './options.ts';
import { bridge } from './run.ts';

const failed = 1;
const misused = 2;

/** Returns the exit code. */
export async function bridgeMain(args: readonly string[]): Promise<number> {
  let code = 0;
  const program = addBridgeOptions(new Command('poolwright bridge').description(bridgeDescription).exitOverride());
  program.showHelpAfterError("See 'poolwright bridge --help'.");
  program.action(async (options) => {
    code = await bridge(options);
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      process.stderr.write('More: poolwright errors InvalidCommand\n');
      return misused;
    }
    if (!(error instanceof UserError)) throw error;
    // No more than that: the texts of the catalog are not in the bundle, which has to stay small.
    process.stderr.write(
      `${error.message}\n${error.code === undefined ? '' : `More: poolwright errors ${error.code}\n`}`,
    );
    return failed;
  }
}
