/**
 * Cold starts: a new process that puts up the stand-in for the platform's worker, loads one bundle until its functions are
 * registered, and ends. The same is done with a handler that does nothing, built in the same way, in turns with the others, so
 * that whatever else the machine does hits both. The start of Node and the platform's library are in both times: they are
 * what a user waits for, too. What a function loads at its first call is not in them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { azureEntries, buildAzureEntries } from '../../scripts/build.ts';
import type { Bench } from '../figure.ts';
import { median } from './statistics.ts';

const rounds = 15;
const repository = join(import.meta.dirname, '../..');

/** By entry: its start ÷ the start of the empty handler in the same round; the median of all rounds. */
export const coldStarts = (bench: Bench): Promise<ReadonlyMap<string, number>> =>
  bench.once('cold starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poolwright-cold-start-'));
    try {
      return await measure(bench, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

async function measure(bench: Bench, folder: string): Promise<ReadonlyMap<string, number>> {
  const empty = 'empty-handler';
  const names = [empty, ...azureEntries().map((file) => basename(file, '.ts'))];
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const functions = join(folder, 'functions');
  // Each in a build of its own, or they would share files that only one of them needs at once.
  for (const entry of azureEntries()) await buildAzureEntries(functions, [entry]);
  await buildAzureEntries(functions, [`bench/cold-start/${empty}.ts`]);
  const loader = join(folder, 'load-entry.js');
  await build({
    absWorkingDir: repository,
    entryPoints: ['bench/cold-start/load-entry.ts'],
    outfile: loader,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });

  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  // The first round fills the caches of the file system and counts for nobody.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const started = performance.now();
      const run = spawnSync(process.execPath, [loader, join(functions, `${name}.js`)], { encoding: 'utf8' });
      if (run.status !== 0) throw new Error(`the bundle ${name} can't be loaded: ${run.stderr}`);
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  const base = times.get(empty) ?? [];
  const ratios = new Map<string, number>();
  for (const [name, values] of times) {
    // Round by round: what slows the machine down for a while slows down both.
    const ratio = median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
    if (name !== empty) ratios.set(name, ratio);
    bench.say(`cold start of ${name}: ${median(values).toFixed(0)} ms, ${ratio.toFixed(2)} of the empty handler's`);
  }
  return ratios;
}
