/** How long a command takes that does nothing but start. */
import type { Figure } from '../figure.ts';
import { builtCommand, timeCommands } from '../harness/command-times.ts';

const rounds = 21;

export const helpStart: Figure = {
  name: 'poolwright --help ÷ node -e 0',
  unit: '',
  limit: 3,
  allowed: 'at most',
  measure: async (bench) => {
    const node = process.execPath;
    const [empty, help] = timeCommands(
      [
        { name: 'node -e 0', command: node, args: ['-e', '0'], lines: 0 },
        { name: 'poolwright --help', command: node, args: [await builtCommand(), '--help'], lines: 20 },
      ],
      rounds,
    );
    bench.say(
      `node -e 0: ${empty?.milliseconds.toFixed(0)} ms; poolwright --help: ${help?.milliseconds.toFixed(0)} ms`,
    );
    return help?.ratio ?? Number.POSITIVE_INFINITY;
  },
};
