/** Runs a command of the command line in this process, and keeps what it says. */
import { main } from '../../cli/main.ts';

export async function poolwright(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await main(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
