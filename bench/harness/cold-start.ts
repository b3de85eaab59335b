/**
 * Cold starts of the functions for Azure: a new process that puts up the stand-in for the platform's worker and loads one bundle. It calls
 * the first of its functions, and ends when that is ready to act: its code is loaded, its configuration read and its services built. The same is done
 * with a handler that does nothing, built in the same way, in turns with the others, so that whatever else the machine does hits
 * both. The start of Node and the platform's library are in both times: they are what a user waits for, too.
 *
 * Beside the figures it is said how long it is until functions are registered, also those of all bundles together, which is what a worker
 * of the platform loads, and how long it is until the watcher asks somebody for the first time, with the SDK that it asks with.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { azureEntries, buildAzureEntries } from '../../scripts/package/build.ts';
import { appSettings } from '../cold-start/app-settings.ts';
import type { Bench } from '../figure.ts';
import { buildLoader, type Start, timeStarts } from './time-starts.ts';

const empty = 'empty-handler';
const watcher = 'watcher';
/** A turn of a workflow has neither configuration nor services. Its first call brings no history, and fails once its code is there. */
const withoutServices = new Set(['orchestrators']);

/** By bundle: its start until its first call is ready to act ÷ the start of the empty handler in the same round; the median of all rounds. */
export type ColdStarts = Map<string, number>;

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
  const registered = (name: string): string => `${name} until it is registered`;
  const ready = (name: string): string => `${name} until its first call is ready to act`;
  const starts: Omit<Start, 'env'>[] = [
    ...[empty, ...names].map((name) => ({ name: registered(name), options: [file(name)], base: registered(empty) })),
    { name: 'all of them together until they are registered', options: names.map(file), base: registered(empty) },
    { name: ready(empty), options: ['--ready', file(empty)], base: ready(empty), ends: 'answered' },
    ...names.map((name) => ({
      name: ready(name),
      options: ['--ready', file(name)],
      base: ready(empty),
      ends: withoutServices.has(name) ? 'failed' : 'ready',
    })),
    {
      name: `${watcher} until its first request`,
      options: ['--asks', file(watcher)],
      base: ready(empty),
      ends: 'asked',
    },
  ];
  const env = appSettings();
  const ratios = timeStarts(
    bench,
    loader,
    starts.map((start) => ({ ...start, env })),
  );
  return new Map(names.map((name) => [name, ratios.get(ready(name)) ?? Number.POSITIVE_INFINITY]));
}

/** @returns The program that loads a bundle. */
async function buildAll(folder: string): Promise<string> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await buildAzureEntries(join(folder, 'functions'), [...azureEntries(), `bench/cold-start/${empty}.ts`]);
  return buildLoader('bench/cold-start/load-entry.ts', join(folder, 'load-entry.js'));
}
