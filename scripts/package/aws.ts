/**
 * Makes dist/aws/: a folder and a zip per function, each with its own code and nothing else. They need no node_modules: everything is in the
 * bundles. Each is loaded as the platform would load it, in a process of its own. Then osls makes the template and puts the zips beside
 * it, with no account and no network.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installExtra } from '../extra-packages.ts';
import { type AwsEntry, awsEntries, awsEntry, buildAwsEntries, problemsOf, reportFunctions } from './build.ts';
import { zipFolder } from './zip.ts';

const repository = join(import.meta.dirname, '../..');

export interface BundleOptions {
  /** Where the folders are made; what was there is removed. */
  folder: string;
  entries: readonly AwsEntry[];
}

/** What is wrong, in lines; none: the folders are ready. */
export async function bundleAws({ folder, entries }: BundleOptions): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  const built = await buildAwsEntries(folder, entries);
  const zips = new Map([...built.keys()].map((name) => [name, zipFolder(join(folder, name))]));
  for (const [name, bytes] of zips) writeFileSync(join(folder, `${name}.zip`), bytes);
  reportFunctions('The functions for AWS Lambda', built, zips);
  return [...[...built.values()].flatMap(problemsOf), ...run('scripts/package/check-aws.ts', [folder])];
}

/** The template, and the zips beside it, into `.serverless/`. */
async function packageByOsls(): Promise<string[]> {
  await installExtra('scripts/osls');
  return run('scripts/osls/node_modules/osls/bin/serverless.js', ['package']);
}

function run(program: string, options: readonly string[]): string[] {
  const ended = spawnSync(process.execPath, [join(repository, program), ...options], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  if (ended.status === 0) return [];
  return [ended.stderr.trim() || `${program} ended with ${ended.status ?? ended.signal}`];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(repository, 'dist/aws') },
      /** Instead of our own. */
      entry: { type: 'string', multiple: true, default: [] },
      /** The folders alone. */
      'bundles-only': { type: 'boolean', default: false },
    },
  });
  const entries = values.entry.length > 0 ? values.entry.map(awsEntry) : awsEntries();
  const problems = await bundleAws({ folder: values.out, entries });
  if (problems.length === 0 && !values['bundles-only']) problems.push(...(await packageByOsls()));
  for (const line of problems) console.error(line);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
