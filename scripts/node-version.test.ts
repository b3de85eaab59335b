import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

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

it('asks for the same version as package.json', () => {
  expect(manifest.engines.node).toBe('>=24.2');
});

it('guards every npm script that starts TypeScript', () => {
  const bare = Object.entries(manifest.scripts).filter(([, script]) =>
    script
      .split('&&')
      .some((part) => /\bnode\b.*\.ts\b/.test(part) && !part.includes('--import ./cli/node-version.js')),
  );
  expect(bare).toEqual([]);
});
