/**
 * The programs of Python that tests are held against (moto, ministack, cfn-lint, clients of CloudStack): virtual environments outside
 * the project, each made once for each set of versions. Every version and hash is in the `requirements.txt` of its kit.
 *
 * @example node test/aws/python-parts.ts
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../scripts/lock.ts';

type Environment = Record<string, string | undefined>;
type Say = (line: string) => void;

export interface PythonParts {
  directory: string;
  /** The path of one of its programs. @example parts.program('cfn-lint') */
  program(name: 'moto_server' | 'ministack' | 'cfn-lint' | 'python'): string;
}

/** What goes into one environment. */
export interface PythonKit {
  /** The locked requirements. */
  requirements: string;
  /** For the reader of a slow first run. */
  what: string;
}

/** Python, or what it needs for a virtual environment, can't be had here. The message says how to get it. */
export class PythonUnavailable extends Error {
  override name = 'PythonUnavailable';
}

const standInsForAws: PythonKit = {
  requirements: join(import.meta.dirname, 'requirements.txt'),
  what: 'moto, ministack and cfn-lint',
};
const oldest = { major: 3, minor: 11 };
const sayOnStderr: Say = (line) => void process.stderr.write(`${line}\n`);

const howToInstall =
  `Install Python ${oldest.major}.${oldest.minor} or newer with its venv module (Debian and Ubuntu: apt-get install python3 python3-venv), ` +
  'or set TEST_PYTHON to one. The packages come from where pip is configured to look.';

/** The ready environment; made first if there is none. Throws `PythonUnavailable` with what to do. */
export async function getPythonParts(
  environment: Environment = process.env,
  say: Say = sayOnStderr,
  { requirements, what }: PythonKit = standInsForAws,
) {
  const python = environment.TEST_PYTHON || 'python3';
  const version = await pythonVersion(python, environment);
  const directory = join(cacheDirectory(environment), `python-${identify(version, requirements)}`);
  const parts: PythonParts = { directory, program: (name) => join(directory, 'bin', name) };
  if (isComplete(parts)) return parts;
  mkdirSync(cacheDirectory(environment), { recursive: true });
  return withLock(
    `${directory}.lock`,
    () => say('Another run installs the Python parts; waiting for it…'),
    async () => {
      // Whoever held the lock has most likely made it.
      if (isComplete(parts)) return parts;
      say(`Installing ${what} for Python ${version}, about 1 min; later runs find them in ${directory}`);
      const started = Date.now();
      // One that was killed half-way. The programs of an environment know its path, so it can't be made elsewhere and moved.
      rmSync(directory, { recursive: true, force: true });
      await run(python, ['-m', 'venv', directory], environment);
      const install = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--requirement', requirements];
      await run(parts.program('python'), install, { ...environment, PIP_DISABLE_PIP_VERSION_CHECK: '1' });
      writeFileSync(marker(directory), '');
      say(`Installed them in ${Math.round((Date.now() - started) / 1000)} s`);
      return parts;
    },
  );
}

/** Written last: without it the environment is not whole. */
const marker = (directory: string): string => join(directory, 'complete');

/** The Python that it was made with may have been removed since. */
const isComplete = (parts: PythonParts): boolean =>
  existsSync(marker(parts.directory)) && existsSync(parts.program('python'));

function cacheDirectory(environment: Environment): string {
  if (environment.TEST_ASSET_CACHE) return environment.TEST_ASSET_CACHE;
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'poolwright');
}

function identify(pythonVersion: string, requirements: string): string {
  const content = readFileSync(requirements, 'utf8');
  const minor = pythonVersion.split('.').slice(0, 2).join('.');
  return createHash('sha256')
    .update(`${content}\0${minor}\0${process.platform}\0${process.arch}`)
    .digest('hex')
    .slice(0, 12);
}

async function pythonVersion(python: string, environment: Environment): Promise<string> {
  const version = (await run(python, ['-c', 'import platform; print(platform.python_version())'], environment)).trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return version;
  throw new PythonUnavailable(`${python} is Python ${version || 'of no known version'}. ${howToInstall}`);
}

async function run(program: string, args: string[], environment: Environment): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  let complaints = '';
  // Of a long complaint the end matters.
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-4000)));
  const problem = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) =>
      resolve('code' in error && error.code === 'ENOENT' ? 'There is no such program.' : error.message),
    );
    child.once('close', (code, signal) =>
      // venv complains on stdout.
      resolve(code === 0 ? undefined : `It ended with ${signal ?? code}:\n${(output + complaints).trimEnd()}`),
    );
  });
  if (problem === undefined) return output;
  throw new PythonUnavailable(`${[program, ...args].join(' ')} did not work. ${problem}\n${howToInstall}`);
}

if (import.meta.main) {
  try {
    console.log((await getPythonParts()).directory);
  } catch (error) {
    if (!(error instanceof PythonUnavailable)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
