/** How a person is asked. */
import { defined } from '../../../shared/base/defined.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface Asker {
  choose<T extends string>(
    question: string,
    options: readonly { value: T; label: string; hint?: string }[],
    usual: T,
  ): Promise<T>;
  text(question: string, usual: string | undefined, problem: (text: string) => string | undefined): Promise<string>;
  confirm(question: string): Promise<boolean>;
  note(text: string): void;
}

/** Questions go to standard error: what is written to standard output is for scripts. */
export async function terminalAsker(): Promise<Asker> {
  const clack = await import('@clack/prompts');
  const output = process.stderr;
  const answered = <T extends string | boolean>(answer: T | symbol): T => {
    if (typeof answer !== 'symbol') return answer;
    throw new UserError('Nothing was written.', { code: 'NotConfirmed', exitCode: exitCodes.interrupted });
  };
  return {
    choose: async <T extends string>(
      message: string,
      options: readonly { value: T; label: string; hint?: string }[],
      initialValue: T,
    ) => {
      const known = options.map(({ value, label, hint }) => ({
        value: value as string,
        label: printable(label),
        ...(hint === undefined ? {} : { hint: printable(hint) }),
      }));
      const answer = answered(await clack.select<string>({ message, options: known, initialValue, output }));
      return options.find(({ value }) => value === answer)?.value ?? initialValue;
    },
    text: async (message, usual, problem) =>
      answered<string>(
        await clack.text({
          message,
          output,
          ...defined({ initialValue: usual }),
          validate: (text) => problem(text ?? ''),
        }),
      ),
    confirm: async (message) => answered<boolean>(await clack.confirm({ message, output })),
    note: (text) => clack.log.info(text, { output }),
  };
}
