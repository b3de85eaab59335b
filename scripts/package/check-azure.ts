/**
 * Loads a package for Azure Functions on the stand-in for the platform and prints its functions. An entry that throws while it
 * is loaded, or that registers nothing, is an error here; on the platform it would be a warning that nobody sees.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type FunctionApp, installFunctionsCore, startApp } from '../../test/stand-ins/functions-host/core.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
const folder = resolve(positionals[0] ?? 'dist/azure');
installFunctionsCore();
const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string };
const problems: string[] = [];

async function loadEntry(app: FunctionApp, file: string): Promise<void> {
  const before = app.functions.size;
  try {
    await import(pathToFileURL(join(folder, file)).href);
    if (app.functions.size === before) problems.push(`${file} registers no function`);
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    problems.push(`${file} can't be loaded, so the app would have none of its functions: ${why}`);
  }
}

const app = await startApp(async (starting) => {
  const files = globSync(main, { cwd: folder }).sort();
  if (files.length === 0) problems.push(`no file matches main, which is ${main}`);
  for (const file of files) await loadEntry(starting, file);
}, folder);

if (values.json) console.log(JSON.stringify(app.index()));
else for (const { name, bindings } of app.index()) console.log(`  ${name.padEnd(24)} ${typesOf(bindings)}`);
for (const line of problems) console.error(line);
process.exitCode = problems.length === 0 ? 0 : 1;

function typesOf(bindings: Readonly<Record<string, { type: string }>>): string {
  return Object.values(bindings)
    .map(({ type }) => type)
    .join(', ');
}
