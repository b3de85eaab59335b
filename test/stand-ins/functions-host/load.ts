/** Starts an app from its folder, as the worker does: every file that `main` of its package.json matches. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FunctionApp, startApp } from './core.ts';

let loads = 0;

/**
 * An entry that throws stops the loading of those after it, and the host shows no error: it serves the functions that
 * were registered until then. Here it is noted in `failures`, for tests to look at.
 */
export function loadApp(folder: string): Promise<FunctionApp> {
  const directory = resolve(folder);
  const { main } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { main?: string };
  if (!main) throw new Error(`${directory}/package.json has no "main": the host would find no functions`);
  const files = globSync(main, { cwd: directory }).sort();
  if (files.length === 0) throw new Error(`${directory}: no file matches the "main" of package.json, ${main}`);
  const load = ++loads;
  return startApp(async (app) => {
    for (const file of files) {
      try {
        // A file that was imported before would not run again under the same address.
        await import(`${pathToFileURL(join(directory, file)).href}?load=${load}`);
      } catch (error) {
        app.failures.push({ file, error });
        return;
      }
    }
  }, directory);
}
