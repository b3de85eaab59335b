/**
 * Makes dist/azure/: a folder that `func azure functionapp publish` takes as it is. It needs no node_modules: everything is in
 * the bundles. At the end the folder is loaded as the platform would load it, in a process of its own. The platform says
 * nothing when an entry throws while it is loaded; it just serves no functions. So this command fails instead.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { azureEntries, buildAzureEntries, problemsOf, reportEntries } from './build.ts';
import { engines } from './engines.ts';

const repository = join(import.meta.dirname, '../..');

/** What a developer's machine leaves in the folder and no app should get; app settings are set at the app itself. */
const ignored = ['local.settings.json', '.env', '*.log', '*.map', '.git*', '.vscode', 'node_modules'];

/** The tool reads the language from here, also when it publishes; the file itself stays where it is. */
const localSettings = { IsEncrypted: false, Values: { FUNCTIONS_WORKER_RUNTIME: 'node' } };

export interface PackageOptions {
  /** Where the folder is made; what was there is removed. */
  folder: string;
  entries: string[];
}

/** What is wrong, in lines; none: the folder is ready. */
export async function packageAzure({ folder, entries }: PackageOptions): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const metafile = await buildAzureEntries(join(folder, 'functions'), entries);
  reportEntries('The functions for Azure', metafile);
  const { name, version, license } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const manifest = { name, version, license, private: true, type: 'module', main: 'functions/*.js', engines };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'local.settings.json'), `${JSON.stringify(localSettings, null, 2)}\n`);
  writeFileSync(join(folder, '.funcignore'), `${ignored.join('\n')}\n`);
  copyFileSync(join(repository, 'host.json'), join(folder, 'host.json'));
  return [...problemsOf(metafile), ...loadAsThePlatformDoes(folder)];
}

function loadAsThePlatformDoes(folder: string): string[] {
  const check = join(repository, 'scripts/package/check-azure.ts');
  const run = spawnSync(process.execPath, [check, folder], { encoding: 'utf8' });
  process.stdout.write(run.stdout);
  if (run.status === 0) return [];
  return [run.stderr.trim() || `the check of ${folder} ended with ${run.status ?? run.signal}`];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(repository, 'dist/azure') },
      /** Instead of our own. */
      entry: { type: 'string', multiple: true, default: [] },
    },
  });
  const problems = await packageAzure({
    folder: values.out,
    entries: values.entry.length > 0 ? values.entry : azureEntries(),
  });
  for (const line of problems) console.error(line);
  if (problems.length === 0) console.log(`${values.out} is ready; in it: func azure functionapp publish <name>`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
