import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { engines } from './package/engines.ts';
import { lockFiles, withEngines } from './package/lock-engines.ts';

const root = join(import.meta.dirname, '..');

/** Runs as if this Node were another version. */
function underNode(version: string, args: readonly string[]) {
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  return spawnSync(process.execPath, ['--import', pretend, ...args], { cwd: root, encoding: 'utf8' });
}

it.each([
  ['the command line', ['cli/poolwright.js', '--version']],
  ['a script of TypeScript', ['--import', './cli/node-version.js', 'scripts/no-such-file.ts']],
  ['the check before the tests', ['cli/node-version.js']],
])('says in one line that Node is too old: %s', (_, args) => {
  const { status, stdout, stderr } = underNode('20.20.2', args);
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^Poolwright needs Node 24\.2 or newer, and this is 20\.20\.2\. [^\n]*\n$/);
});

it.each(['24.1.0', '22.19.0'])('refuses %s, which lacks something we use', (version) => {
  expect(underNode(version, ['cli/node-version.js']).status).toBe(1);
});

it.each(['24.2.0', '24.21.0', '26.0.0'])('lets %s pass', (version) => {
  expect(underNode(version, ['cli/node-version.js'])).toMatchObject({ status: 0, stderr: '' });
});

it('asks for the same version as the packages that we publish', () => {
  const [, oldest = ''] =
    /const oldest = \[([\d, ]+)\]/.exec(readFileSync(join(root, 'cli/node-version.js'), 'utf8')) ?? [];
  expect(engines.node).toBe(`>=${oldest.split(', ').join('.')}`);
});

it('leaves npm nothing to warn about: neither package.json nor a lock file names engines', () => {
  expect(manifest).not.toHaveProperty('engines');
  for (const file of lockFiles) expect(withEngines(file), `${file}: run \`npm run lock\``).toEqual([]);
});

it('guards every npm script that starts TypeScript', () => {
  const bare = Object.entries(manifest.scripts).filter(([, script]) =>
    script
      .split('&&')
      .some((part) => /\bnode\b.*\.ts\b/.test(part) && !part.includes('--import ./cli/node-version.js')),
  );
  expect(bare).toEqual([]);
});
