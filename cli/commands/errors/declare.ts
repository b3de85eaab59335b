import { type Declare, withFormat } from '../declare.ts';

export const declareErrors: Declare = ({ command, run }) =>
  void withFormat(
    command(
      'errors [code]',
      'explain an error and what to do about it, by condition reason or error code; without a code, list all errors',
      `poolwright errors
poolwright errors QuotaExceeded
poolwright errors urn:poolwright:problem:unknown-claim -o json`,
    ),
  ).action((code, options) => run(async (terminal) => (await import('./run.ts')).errors(code, options, terminal)));
