/** Before something is changed: what, and do you mean it? */
import { exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { UserError } from './user-error.ts';

export interface Consent {
  yes?: boolean;
  dryRun?: boolean;
}

/**
 * Whether to go on. `change` is a sentence that names the target: "Drop 3 dead letters of the queue events". With --dry-run it
 * says so and nothing is done; whoever does not say yes is thrown out with the exit code `declined`.
 */
export async function confirmed(terminal: Terminal, change: string, { yes, dryRun }: Consent): Promise<boolean> {
  if (dryRun) {
    terminal.err(`${change}: not done, because of --dry-run.\n`);
    return false;
  }
  if (yes) return true;
  if (!terminal.canAsk) {
    throw new UserError(`${change}? No terminal to ask on: pass --yes, or --dry-run to see what would happen.`, {
      code: 'NotConfirmed',
      exitCode: exitCodes.declined,
    });
  }
  const answer = await terminal.ask(`${change}? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  throw new UserError('Nothing was changed.', { code: 'NotConfirmed', exitCode: exitCodes.declined });
}
