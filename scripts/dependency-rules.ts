/**
 * Checks the dependency rules of .dependency-cruiser.js, and one that it has no words for: no-folder-cycles. A cruiser that can't parse TypeScript sees no modules and finds
 * nothing to complain about; so every source file must be among the modules that it saw, or the check fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installExtra } from './extra-packages.ts';
import { folderCycles, type ImportingModule } from './folder-cycles.ts';

const repository = join(import.meta.dirname, '..');
const folders = ['bench', 'cli', 'events', 'functions', 'infra', 'scripts', 'shared', 'sim', 'test'];

interface Cruise {
  modules: ImportingModule[];
  summary: { violations: { from: string; to: string; rule: { name: string; severity: string } }[] };
}

export interface DependencyCheck {
  ok: boolean;
  /** The names of the rules that were broken. */
  broken: string[];
  text: string;
}

/** @param root Where the folders are; the rules are always those of this repository. */
export function checkDependencies(root: string): DependencyCheck {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const files = present
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,js}`, { cwd: root, exclude: ['**/node_modules'] }))
    .sort();
  if (files.length === 0) return { ok: false, broken: [], text: `There is no module to check in ${root}.` };

  const { modules, summary } = cruise(root, present);
  const seen = new Set(modules.map(({ source }) => source));
  const missed = files.filter((file) => !seen.has(file));
  if (missed.length > 0) {
    const text = `${missed.length} of ${files.length} files were not seen, so nothing is proved. The first: ${missed[0]}`;
    return { ok: false, broken: [], text };
  }
  const broken = [
    ...summary.violations
      .filter(({ rule }) => rule.severity === 'error')
      .map(({ from, to, rule }) => ({ from, to, name: rule.name })),
    ...folderCycles(modules).map((cycle) => ({ ...cycle, name: 'no-folder-cycles' })),
  ];
  const lines = broken.map(({ from, to, name }) => `${name}: ${from} → ${to}`);
  lines.push(`${files.length} modules checked, ${broken.length} rules broken`);
  return { ok: broken.length === 0, broken: broken.map(({ name }) => name), text: lines.join('\n') };
}

/** Folders of the product with more source files of their own than a reader takes in at a glance. */
export function crowdedFolders(root: string, most = 25): string[] {
  const counts = new Map<string, number>();
  for (const file of globSync('{cli,events,functions,infra,shared,sim}/**/*.{ts,js}', { cwd: root })) {
    if (file.endsWith('.test.ts')) continue;
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder}: ${count}`);
}

function cruise(root: string, present: readonly string[]): Cruise {
  const program = join(repository, 'scripts/check/node_modules/.bin/depcruise');
  const config = join(repository, '.dependency-cruiser.js');
  const run = spawnSync(process.execPath, [program, '--config', config, '--output-type', 'json', ...present], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (run.error) throw run.error;
  if (!run.stdout.startsWith('{')) throw new Error(`dependency-cruiser did not run: ${run.stderr || run.stdout}`);
  return JSON.parse(run.stdout) as Cruise;
}

if (import.meta.main) {
  await installExtra('scripts/check');
  // What tests import from there has to be found.
  await installExtra('test/peers');
  const { ok, text } = checkDependencies(repository);
  console.log(text);
  process.exitCode = ok ? 0 : 1;
}
