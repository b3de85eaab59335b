import { type Declare, withFormat } from '../declare.ts';

export const declareErrors: Declare = ({ command, run }) =>
  void withFormat(
    command(
      'errors [code]',
      'say what an error means and what to do about it, by the reason of a condition or the code of a message; without a code, list all',
      `poolwright errors
poolwright errors QuotaExceeded
poolwright errors urn:poolwright:problem:unknown-claim -o json`,
    ),
  ).action((code, options) => run(async (terminal) => (await import('./run.ts')).errors(code, options, terminal)));
