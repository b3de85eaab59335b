/**
 * Loads the bundles for Lambda and prints their functions. Every file of a bundle is loaded, also those that a function loads only
 * when it is called: what can't be loaded must not be found out by the first event.
 */
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = resolve(process.argv[2] ?? 'dist/aws');
const functions = globSync('*/index.mjs', { cwd: folder }).sort();
const problems: string[] = functions.length === 0 ? [`there is no bundle in ${folder}`] : [];

for (const file of functions) {
  const loaded = await load(file);
  if (!loaded) continue;
  if (typeof loaded.handler === 'function') console.log(`  ${file.replace('.mjs', '.handler')}`);
  else problems.push(`${file} exports no handler, so the platform could not call it`);
}
for (const file of globSync('*/parts/*.mjs', { cwd: folder }).sort()) await load(file);

for (const line of problems) console.error(line);
// Whatever a library left running.
process.exit(problems.length === 0 ? 0 : 1);

async function load(file: string): Promise<{ handler?: unknown } | undefined> {
  try {
    return await import(pathToFileURL(join(folder, file)).href);
  } catch (error) {
    problems.push(
      `${file} can't be loaded: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return undefined;
  }
}
