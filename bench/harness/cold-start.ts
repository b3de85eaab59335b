/**
 * Cold starts of the functions for Azure: a new process that puts up the stand-in for the platform's worker and loads one bundle. It ends when
 * the functions are registered; or it calls the first of them, and ends when that is ready to act: its code is loaded, its
 * configuration read and its services built. The same is done
 * with a handler that does nothing, built in the same way, in turns with the others, so that whatever else the machine does hits
 * both. The start of Node and the platform's library are in both times: they are what a user waits for, too.
 *
 * Beside the figures it is said how long all bundles together take, which is what a worker of the platform loads, and how long it is until the
 * watcher asks somebody for the first time, with the SDK that it asks with.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { azureEntries, buildAzureEntries } from '../../scripts/build.ts';
import { appSettings } from '../cold-start/app-settings.ts';
import type { Bench } from '../figure.ts';
import { median } from './statistics.ts';

const rounds = 15;
const repository = join(import.meta.dirname, '../..');
const empty = 'empty-handler';
const watcher = 'watcher';
/** A turn of a workflow has neither configuration nor services. Its first call brings no history, and fails once its code is there. */
const withoutServices = new Set(['orchestrators']);

/** What is started, with the arguments of the loader. */
interface Start {
  name: string;
  options: string[];
  /** The start of the empty handler that it is compared with. */
  base: string;
  /** Whose figure it is, and of what; the others are only said. */
  figure?: { bundle: string; of: keyof ColdStarts };
  /** How it must end, so that none is quick for the wrong reason. */
  ends?: string;
}

/** By bundle: its start ÷ the start of the empty handler in the same round; the median of all rounds. */
export interface ColdStarts {
  /** Until the platform knows its functions. */
  registered: Map<string, number>;
  /** Until its first call is ready to act. */
  ready: Map<string, number>;
}

export const coldStarts = (bench: Bench): Promise<ColdStarts> =>
  bench.once('cold starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poolwright-cold-start-'));
    try {
      return await measure(bench, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

async function measure(bench: Bench, folder: string): Promise<ColdStarts> {
  const loader = await buildAll(folder);
  const file = (name: string): string => join(folder, 'functions', `${name}.js`);
  const names = azureEntries().map((entry) => basename(entry, '.ts'));
  const emptyRegistered = `${empty} until it is registered`;
  const emptyCalled = `${empty} until its first call is ready to act`;
  const starts: Start[] = [
    { name: emptyRegistered, options: [file(empty)], base: emptyRegistered },
    ...names.map((name) => ({
      name: `${name} until it is registered`,
      options: [file(name)],
      base: emptyRegistered,
      figure: { bundle: name, of: 'registered' as const },
    })),
    { name: 'all of them together until they are registered', options: names.map(file), base: emptyRegistered },
    { name: emptyCalled, options: ['--ready', file(empty)], base: emptyCalled, ends: 'answered' },
    ...names.map((name) => ({
      name: `${name} until its first call is ready to act`,
      options: ['--ready', file(name)],
      base: emptyCalled,
      figure: { bundle: name, of: 'ready' as const },
      ends: withoutServices.has(name) ? 'failed' : 'ready',
    })),
    {
      name: `${watcher} until it first asks somebody`,
      options: ['--asks', file(watcher)],
      base: emptyCalled,
      ends: 'asked',
    },
  ];
  const settings = appSettings();
  const times = new Map<string, number[]>(starts.map(({ name }) => [name, []]));
  // The first round fills the caches of the file system and counts for nobody.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, options, ends } of starts) {
      const started = performance.now();
      const run = spawnSync(process.execPath, [loader, ...options], { encoding: 'utf8', env: settings });
      if (run.status !== 0) throw new Error(`${name}: it can't be loaded: ${run.stderr}`);
      if (ends !== undefined && !run.stdout.startsWith(ends)) throw new Error(`${name}: it ended with ${run.stdout}`);
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  const ratios: ColdStarts = { registered: new Map(), ready: new Map() };
  for (const { name, base, figure } of starts) {
    const values = times.get(name) ?? [];
    const bases = times.get(base) ?? [];
    // Round by round: what slows the machine down for a while slows down both.
    const ratio = median(values.map((value, round) => value / (bases[round] ?? Number.NaN)));
    if (figure !== undefined) ratios[figure.of].set(figure.bundle, ratio);
    bench.say(`${name}: ${median(values).toFixed(0)} ms, ${ratio.toFixed(2)} of the empty handler's`);
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
