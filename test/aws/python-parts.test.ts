/** With a Python that is a script of ours: nothing is fetched. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getPythonParts } from './python-parts.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-python-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Says its version, makes an environment whose Python is itself, and notes what else it is asked for. */
function fakePython({ version = '3.12.1', venv = 'cp "$0" "$3/bin/python"', pip = 'true' } = {}): string {
  const path = join(folder, 'fake-python');
  const script = `#!/bin/sh
case "$1 $2" in
  "-c "*) echo ${version} ;;
  "-m venv") mkdir -p "$3/bin" && ${venv} ;;
  "-m pip") echo installed >> "${folder}/log"; ${pip} ;;
esac`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

const silent = (): void => undefined;
const environment = (python: string) => ({
  PATH: process.env.PATH,
  TEST_PYTHON: python,
  TEST_ASSET_CACHE: join(folder, 'cache'),
});
const installations = (): number => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').length;

it('makes the environment once, however many ask at once', async () => {
  const env = environment(fakePython());
  const [first, second] = await Promise.all([getPythonParts(env, silent), getPythonParts(env, silent)]);
  expect(second.directory).toBe(first.directory);
  await getPythonParts(env, silent);
  expect(installations()).toBe(1);
  expect(readdirSync(join(folder, 'cache'))).toEqual([expect.stringMatching(/^python-[0-9a-f]{12}$/)]);
});

it('makes again what was killed half-way, and what has lost its Python', async () => {
  const env = environment(fakePython());
  const { directory, program } = await getPythonParts(env, silent);
  rmSync(join(directory, 'complete'));
  mkdirSync(join(directory, 'left-over'));
  await getPythonParts(env, silent);
  expect(existsSync(join(directory, 'left-over'))).toBe(false);
  rmSync(program('python'));
  await getPythonParts(env, silent);
  expect(installations()).toBe(3);
});

it.each([
  ['there is no Python', {}, /There is no such program/],
  ['Python is too old', { version: '3.9.2' }, /is Python 3\.9\.2/],
  [
    'the venv module is missing',
    { venv: '{ echo ensurepip is not available; exit 1; }' },
    /ensurepip is not available/,
  ],
  ['the packages cannot be had', { pip: '{ echo no network >&2; exit 1; }' }, /no network/],
])('fails when %s, and says what to install', async (what, how, text) => {
  const python = what === 'there is no Python' ? join(folder, 'missing') : fakePython(how);
  const wanted = getPythonParts(environment(python), silent);
  await expect(wanted).rejects.toThrow(text);
  await expect(wanted).rejects.toThrow(/Install Python 3\.11 or newer with its venv module .*python3-venv/);
});
