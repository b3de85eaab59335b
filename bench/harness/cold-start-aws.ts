/**
 * Cold starts of the functions for Lambda: a new process that loads one bundle as the platform does. It calls
 * its handler, and ends when that is ready to act: its code is loaded, its configuration read and its services built. A
 * turn of a workflow has no services: it is ready when it turns to another function for its first step. The same is done with a
 * handler that does nothing, built in the same way, in turns with the others. The start of Node is in all of these times.
 *
 * Beside the figures it is said how long it is until each function is loaded, and until it asks somebody for the first time, with the library that it asks with.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awsEntries, awsEntry, buildAwsEntries } from '../../scripts/package/build.ts';
import { functionSettings } from '../cold-start/function-settings.ts';
import type { Bench } from '../figure.ts';
import { buildLoader, type Start, timeStarts } from './time-starts.ts';

const empty = 'empty-function';
/** Their first call has to do with EC2, which they know nothing of. */
const foreign = new Set(['provision-aks', 'provision-arc']);

/** By function: its start until its first call is ready to act ÷ the start of the empty one. */
export type LambdaColdStarts = Map<string, number>;

export const lambdaColdStarts = (bench: Bench): Promise<LambdaColdStarts> =>
  bench.once('cold starts on Lambda', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poolwright-cold-start-aws-'));
    try {
      return await measure(bench, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

async function measure(bench: Bench, folder: string): Promise<LambdaColdStarts> {
  const names = awsEntries().map(({ name }) => name);
  await buildAwsEntries(folder, [...awsEntries(), awsEntry(`bench/cold-start/${empty}.ts`)]);
  const loader = await buildLoader('bench/cold-start/load-function.ts', join(folder, 'load-function.mjs'));
  const file = (name: string): string => join(folder, name, 'index.mjs');
  const loaded = (name: string): string => `${name} until it is loaded`;
  const ready = (name: string): string => `${name} until its first call is ready to act`;
  const all = [empty, ...names];
  const starts: Start[] = [
    ...all.map((name) => ({
      name: loaded(name),
      options: [file(name)],
      base: loaded(empty),
      env: functionSettings(name),
    })),
    ...all.map((name) => ({
      name: ready(name),
      options: ['--ready', file(name)],
      base: ready(empty),
      ends: name === empty ? 'answered' : name === 'workflows' ? 'asked' : 'ready',
      env: functionSettings(name),
    })),
    ...names
      .filter((name) => name !== 'http' && !foreign.has(name))
      .map((name) => ({
        name: `${name} until its first request`,
        options: ['--asks', file(name)],
        base: ready(empty),
        ends: 'asked',
        env: functionSettings(name),
      })),
  ];
  const ratios = timeStarts(bench, loader, starts);
  return new Map(names.map((name) => [name, ratios.get(ready(name)) ?? Number.POSITIVE_INFINITY]));
}
