/**
 * Times the starts of processes that load bundles, in turns, so that whatever else the machine does hits all of them; each ÷ the start of
 * something empty in the same round.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Bench } from '../figure.ts';
import { median } from './statistics.ts';

const rounds = 15;
const repository = join(import.meta.dirname, '../..');

/** What is started, with the arguments of the loader. */
export interface Start {
  name: string;
  options: string[];
  /** The name of the start that it is compared with. */
  base: string;
  /** How it must end, so that none is quick for the wrong reason. */
  ends?: string;
  env: Record<string, string>;
}

/** @returns By name: the start ÷ its base; the median of all rounds. */
export function timeStarts(bench: Bench, loader: string, starts: readonly Start[]): Map<string, number> {
  const times = new Map<string, number[]>(starts.map(({ name }) => [name, []]));
  // The first round fills the caches of the file system and counts for nobody.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, options, ends, env } of starts) {
      const started = performance.now();
      const run = spawnSync(process.execPath, [loader, ...options], { encoding: 'utf8', env });
      if (run.status !== 0) throw new Error(`${name}: it ended with ${run.status ?? run.signal}: ${run.stderr}`);
      // What was logged before comes first.
      const last = run.stdout.trim().split('\n').at(-1) ?? '';
      if (ends !== undefined && !last.startsWith(ends)) throw new Error(`${name}: it ended with ${last}`);
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  return new Map(
    starts.map(({ name, base }) => {
      const values = times.get(name) ?? [];
      const bases = times.get(base) ?? [];
      // Round by round: what slows the machine down for a while slows down both.
      const ratio = median(values.map((value, round) => value / (bases[round] ?? Number.NaN)));
      bench.say(`${name}: ${median(values).toFixed(0)} ms, ${ratio.toFixed(2)} of the empty handler's`);
      return [name, ratio];
    }),
  );
}

/** @returns The program that loads a bundle, bundled itself so that its own start is short. */
export async function buildLoader(entry: string, outfile: string): Promise<string> {
  await build({
    absWorkingDir: repository,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return outfile;
}
