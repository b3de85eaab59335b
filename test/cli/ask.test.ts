import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askLine } from '../../cli/terminal/ask.ts';
import { confirmed } from '../../cli/terminal/confirm.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';

const silent = { out: () => undefined, err: () => undefined };

/** Somebody at a terminal presses these keys when they are asked whether the cluster is to be paused. */
function asked(keys: string): Promise<boolean> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.once('data', () => input.write(keys));
  const ask = (question: string): Promise<string> => askLine(question, { input, output });
  return confirmed(plainTerminal(silent, { canAsk: true, ask }), 'Pause cluster/sim', {});
}

test('a yes is taken', async () => {
  await expect(asked('y\r')).resolves.toBe(true);
});

test.each([
  ['Ctrl-C ends it with the code for that', '\u0003', 130],
  ['Ctrl-D is no yes', '\u0004', 3],
  ['Enter alone is no yes', '\r', 3],
])('%s', async (_, keys, exitCode) => {
  await expect(asked(keys)).rejects.toMatchObject({
    name: 'UserError',
    message: 'Nothing was changed.',
    code: 'NotConfirmed',
    exitCode,
  });
});
