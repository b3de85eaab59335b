/** Times whole commands, in turns, so that whatever else the machine does hits all of them alike. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildCommandLine } from '../../scripts/package/build.ts';
import { median } from './statistics.ts';

export interface TimedCommand {
  name: string;
  command: string;
  args: readonly string[];
  /** What its output must show, so that none is quick for the wrong reason. */
  lines: number;
}

/** @returns The median of each in milliseconds, and of each round's ratio to the first command. */
export function timeCommands(
  commands: readonly TimedCommand[],
  rounds: number,
): { milliseconds: number; ratio: number }[] {
  const times: number[][] = commands.map(() => []);
  // The first round fills the caches of the file system and of compiled code, and counts for nobody.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { name, command, args, lines }] of commands.entries()) {
      const started = performance.now();
      const run = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1024 ** 3 });
      const took = performance.now() - started;
      if (run.error) throw new Error(`${name}: ${run.error.message}`);
      if (run.status !== 0) throw new Error(`${name} ended with ${run.status}: ${run.stderr}`);
      const printed = run.stdout.split('\n').length - 1;
      if (printed < lines) throw new Error(`${name} printed ${printed} lines, not ${lines}`);
      if (round > 0) times[index]?.push(took);
    }
  }
  return times.map((values) => ({
    milliseconds: median(values),
    // Round by round: what slows the machine down for a while slows down both.
    ratio: median(values.map((value, round) => value / (times[0]?.[round] ?? Number.NaN))),
  }));
}

/** The command as it is delivered, made anew: an old one would be measured in silence. */
export async function builtCommand(): Promise<string> {
  await buildCommandLine();
  return join(import.meta.dirname, '../../dist/poolwright.js');
}
