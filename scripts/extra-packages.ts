/**
 * Packages that neither the product nor `npm test` needs: the programs of `npm run check`, osls, and the software of others that tests run
 * against. Each set is a folder with a lock file of its own, installed beside it when something first needs it. npm's own cache keeps what
 * was downloaded.
 *
 * @example node scripts/extra-packages.ts scripts/check biome lint .
 * @example node scripts/extra-packages.ts scripts/check test/peers tsc --project .
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.ts';

const repository = join(import.meta.dirname, '..');

export const extraSets = ['scripts/check', 'test/peers', 'scripts/osls'] as const;
export type ExtraSet = (typeof extraSets)[number];

const sayOnStderr = (line: string): void => void process.stderr.write(`${line}\n`);

/** Ready when it returns. Two at once install it once; one that was killed half-way is installed again. */
export async function installExtra(set: ExtraSet, say: (line: string) => void = sayOnStderr): Promise<void> {
  const folder = join(repository, set);
  if (isComplete(folder)) return;
  await withLock(
    join(folder, '.installing'),
    () => say(`Another process installs the packages of ${set}; waiting for it…`),
    async () => {
      if (isComplete(folder)) return;
      say(`Installing the packages of ${set}`);
      await npmCi(folder);
      writeFileSync(marker(folder), wanted(folder));
    },
  );
}

/** The path of a program of the set, which is installed first. */
export async function extraProgram(set: ExtraSet, name: string): Promise<string> {
  await installExtra(set);
  return join(repository, set, 'node_modules/.bin', name);
}

/** Written last, so that it is there only with everything else. */
const marker = (folder: string): string => join(folder, 'node_modules/.complete');

const wanted = (folder: string): string =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');

const isComplete = (folder: string): boolean =>
  existsSync(marker(folder)) && readFileSync(marker(folder), 'utf8') === wanted(folder);

/** By the npm that runs us, where one does. Its warnings about engines are about the Node of npm, not about the one that we run. */
async function npmCi(folder: string): Promise<void> {
  const options = ['ci', '--prefix', folder, '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  const status = await run('npm', options, 'ignore');
  if (status !== 0) throw new Error(`npm ${options.join(' ')} ended with ${status}`);
}

function run(program: string, args: readonly string[], stdout: 'ignore' | 'inherit'): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['inherit', stdout, 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
}

/** The sets come first; the first of them has the program. @returns The program's exit code. */
export async function runExtra(words: readonly string[]): Promise<number> {
  const known = words.findIndex((word) => !(extraSets as readonly string[]).includes(word));
  const sets = words.slice(0, known < 0 ? undefined : known) as ExtraSet[];
  const [program, ...args] = known < 0 ? [] : words.slice(known);
  const [first] = sets;
  if (first === undefined) {
    process.stderr.write(`Pass one or more of ${extraSets.join(', ')}, then a program and its arguments.\n`);
    return 1;
  }
  for (const set of sets) await installExtra(set);
  return program === undefined ? 0 : run(await extraProgram(first, program), args, 'inherit');
}

if (import.meta.main) process.exitCode = await runExtra(process.argv.slice(2));
