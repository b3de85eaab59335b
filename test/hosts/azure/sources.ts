/** The app from its sources, without a build. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { type FunctionApp, installFunctionsCore, startApp } from '../../stand-ins/functions-host/core.ts';

const folder = join(import.meta.dirname, '../../../functions/hosts/azure/entries');

/** Once per process: a module is loaded only once, and it registers its functions while it is loaded. */
export function loadSources(): Promise<FunctionApp> {
  installFunctionsCore();
  return startApp(async () => {
    for (const file of globSync('*.ts', { cwd: folder }).sort()) await import(join(folder, file));
  });
}
