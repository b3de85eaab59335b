/**
 * Cold starts of the functions for Azure: a new process that puts up the stand-in for the platform's worker, loads one bundle until its
 * functions are registered, and ends. The same is done with a handler that does nothing, built in the same way, in turns with the
 * others, so that whatever else the machine does hits both. The start of Node and the platform's library are in both times: they
 * are what a user waits for, too. A worker of the platform loads all bundles of an app, so all of them together are measured as well.
 *
 * Bundles load their code when a function is first called. What that takes is not in the figures, but it is said beside them.
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
const empty = 'empty-handler';

/** What is started, with the arguments of the loader. */
interface Start {
  name: string;
  options: string[];
  /** Said, but not part of the figures. */
  aside?: boolean;
}

/** By bundle: its start ÷ the start of the empty handler in the same round; the median of all rounds. */
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
  const loader = await buildAll(folder);
  const file = (name: string): string => join(folder, 'functions', `${name}.js`);
  const names = azureEntries().map((entry) => basename(entry, '.ts'));
  const starts: Start[] = [
    ...[empty, ...names].map((name) => ({ name, options: [file(name)] })),
    { name: 'all of them together', options: names.map(file) },
    ...[empty, ...names].map((name) => ({
      name: `${name}, until its first call`,
      options: ['--call', file(name)],
      aside: true,
    })),
  ];
  const times = new Map<string, number[]>(starts.map(({ name }) => [name, []]));
  // The first round fills the caches of the file system and counts for nobody.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, options } of starts) {
      const started = performance.now();
      const run = spawnSync(process.execPath, [loader, ...options], { encoding: 'utf8', env: {} });
      if (run.status !== 0) throw new Error(`the bundle ${name} can't be loaded: ${run.stderr}`);
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  const ratios = new Map<string, number>();
  for (const { name, aside } of starts) {
    const values = times.get(name) ?? [];
    const base = times.get(empty) ?? [];
    // Round by round: what slows the machine down for a while slows down both.
    const ratio = median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
    if (!aside && name !== empty) ratios.set(name, ratio);
    bench.say(`cold start of ${name}: ${median(values).toFixed(0)} ms, ${ratio.toFixed(2)} of the empty handler's`);
  }
  return ratios;
}

/** @returns The program that loads a bundle. */
async function buildAll(folder: string): Promise<string> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await buildAzureEntries(join(folder, 'functions'), [...azureEntries(), `bench/cold-start/${empty}.ts`]);
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
  return loader;
}
