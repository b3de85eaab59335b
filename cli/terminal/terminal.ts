/** Where a command speaks and listens: data goes to `out`, talk to `err`. Tests bring their own. */

import { redactSecrets } from '../../shared/base/secrets/known-secrets.ts';

export interface Output {
  out(text: string): void;
  err(text: string): void;
}

export interface Terminal extends Output {
  /** How wide `out` is; a pipe has no width, and lines are not cut for it. */
  columns(): number | undefined;
  /** A person reads `out` as it comes. */
  readonly isLive: boolean;
  /** A person can be asked. */
  readonly canAsk: boolean;
  readonly color: boolean;
  /** Ctrl-C, or whoever ends the command. */
  readonly signal: AbortSignal;
  /** The answer to a question, as it was typed. */
  ask(question: string): Promise<string>;
}

/** Colors only for people, and not for those who said no (no-color.org). */
const wantsColor = (env: NodeJS.ProcessEnv, isTty: boolean): boolean =>
  !env.NO_COLOR && env.TERM !== 'dumb' && (isTty || (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0'));

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  let interruption: AbortSignal | undefined;
  return {
    // Whatever a host, a cluster or a cloud has said: no credential of this command is shown to whoever looks on.
    out: (text) => void stdout.write(redactSecrets(text)),
    err: (text) => void stderr.write(redactSecrets(text)),
    columns: () => (stdout.isTTY ? stdout.columns : undefined),
    isLive: stdout.isTTY === true,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    color: wantsColor(env, stdout.isTTY === true),
    // Only a command that asks for it must end in order; any other one Ctrl-C may simply end.
    get signal() {
      interruption ??= onInterruption();
      return interruption;
    },
    async ask(question) {
      const { askLine } = await import('./ask.ts');
      return askLine(question, { input: stdin, output: stderr });
    },
  };
}

function onInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  // Nobody reads any more, as after `| head`: what goes on for ever has to end.
  process.stdout.once('error', () => controller.abort());
  return controller.signal;
}

/** One that nobody sits at: what it needs to be whole around an output. */
export const plainTerminal = (output: Output, more: Partial<Terminal> = {}): Terminal => ({
  columns: () => undefined,
  isLive: false,
  canAsk: false,
  color: false,
  signal: new AbortController().signal,
  ask: () => Promise.reject(new Error('no terminal to ask on')),
  ...more,
  out: (text) => output.out(redactSecrets(text)),
  err: (text) => output.err(redactSecrets(text)),
});
