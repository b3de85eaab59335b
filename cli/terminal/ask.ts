/** One question to a person, answered by a line. */
import { createInterface } from 'node:readline/promises';
import { exitCodes } from './exit-codes.ts';
import { UserError } from './user-error.ts';

export interface Streams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** The line as it was typed. Ctrl-D is an empty one; Ctrl-C ends the command, and before a yes nothing was changed. */
export async function askLine(question: string, { input, output }: Streams): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  const pressed = new AbortController();
  lines.once('SIGINT', () => pressed.abort());
  try {
    return await lines.question(question, { signal: pressed.signal });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    // What is said next begins on a line of its own.
    output.write('\n');
    if (!pressed.signal.aborted) return '';
    throw new UserError('Nothing was changed.', { code: 'NotConfirmed', exitCode: exitCodes.interrupted });
  } finally {
    lines.close();
  }
}
