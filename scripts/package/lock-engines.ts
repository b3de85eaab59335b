/**
 * Takes the engines out of the lock files. npm compares them with the Node that runs npm and warns, once per package; but the Node that runs
 * the project is the one that it installs, and `cli/node-version.js` checks that one. Run after a change of dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extraSets } from '../extra-packages.ts';

const repository = join(import.meta.dirname, '../..');

export const lockFiles = ['.', ...extraSets].map((folder) => join(repository, folder, 'package-lock.json'));

interface Lock {
  packages: Record<string, { engines?: unknown }>;
}

export const withEngines = (file: string): string[] => {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as Lock;
  return Object.keys(packages).filter((name) => packages[name]?.engines !== undefined);
};

if (import.meta.main) {
  for (const file of lockFiles) {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
    for (const one of Object.values(lock.packages)) delete one.engines;
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  }
}
