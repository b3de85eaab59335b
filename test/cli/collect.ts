/** Runs a command of the command line in this process, and keeps what it says. */
import { main } from '../../cli/main.ts';
import { plainTerminal, type Terminal } from '../../cli/terminal/terminal.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
}

export const poolwright = (...args: string[]): Promise<Said> => collected(args);

/** At a terminal with somebody who answers every question like this. */
export async function poolwrightAnswering(answer: string, ...args: string[]): Promise<Said & { questions: string[] }> {
  const questions: string[] = [];
  const ask = async (question: string): Promise<string> => {
    questions.push(question);
    return answer;
  };
  return { ...(await collected(args, { canAsk: true, ask })), questions };
}

async function collected(args: readonly string[], more: Partial<Terminal> = {}): Promise<Said> {
  let out = '';
  let err = '';
  const terminal = plainTerminal(
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    },
    more,
  );
  const code = await main(args, terminal);
  return { code, out, err };
}
