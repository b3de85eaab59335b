/**
 * What others have written about CloudStack, for tests to be held against: the Go module of its client, with the description of the
 * whole API that a management server gave and with recorded answers, and two clients in Python.
 *
 * @example node test/cloudstack/parts.ts
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../scripts/lock.ts';
import { errorText } from '../../shared/base/error-text.ts';
import { getPythonParts, type PythonKit, PythonUnavailable } from '../aws/python-parts.ts';
import { PartUnavailable, runGo } from '../kube/go.ts';

/** A path, or why there is none and how to get it. */
export type PartPath = { path: string } | { unavailable: string };

export interface CloudStackParts {
  /** The directory of the Go module. */
  goModule: PartPath;
  /** The program of `go-client/`. */
  goClient: PartPath;
  /** A Python that has the clients. */
  python: PartPath;
}

const goSource = join(import.meta.dirname, 'go-client');
const goModule = 'github.com/apache/cloudstack-go/v2';
const clients: PythonKit = {
  requirements: join(import.meta.dirname, 'requirements.txt'),
  what: 'the clients cs and apache-libcloud',
};

export async function getCloudStackParts(say: (line: string) => void = sayOnStderr): Promise<CloudStackParts> {
  const module = await part(moduleDirectory);
  return {
    goModule: module,
    goClient: 'unavailable' in module ? module : await part(() => builtClient(say)),
    python: await part(async () => (await getPythonParts(process.env, say, clients)).program('python')),
  };
}

const sayOnStderr = (line: string): void => void process.stderr.write(`${line}\n`);

async function part(get: () => Promise<string>): Promise<PartPath> {
  try {
    return { path: await get() };
  } catch (error) {
    if (error instanceof PartUnavailable || error instanceof PythonUnavailable)
      return { unavailable: errorText(error) };
    throw error;
  }
}

async function moduleDirectory(): Promise<string> {
  await runGo(['mod', 'download', goModule], goSource, '');
  return (await runGo(['list', '-m', '-f', '{{.Dir}}', goModule], goSource, '')).trim();
}

/** Built once for each version of its sources. */
async function builtClient(say: (line: string) => void): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(`${readFileSync(join(goSource, file), 'utf8')}\0`);
  const directory = join(cacheDirectory(), 'cloudstack');
  const program = join(directory, `client-${process.platform}-${process.arch}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  return withLock(
    `${program}.lock`,
    () => say('Another run builds the Go client of CloudStack; waiting for it…'),
    async () => {
      if (existsSync(program)) return program;
      say(`Building the Go client of CloudStack, about 1 min; later runs find it in ${directory}`);
      const unfinished = `${program}.${process.pid}.new`;
      try {
        await runGo(['build', '-trimpath', '-ldflags', '-s -w', '-o', unfinished, '.'], goSource, '');
        renameSync(unfinished, program);
      } finally {
        rmSync(unfinished, { force: true });
      }
      return program;
    },
  );
}

function cacheDirectory(): string {
  const { TEST_ASSET_CACHE, XDG_CACHE_HOME } = process.env;
  return TEST_ASSET_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'poolwright');
}

if (import.meta.main) {
  const parts = await getCloudStackParts();
  for (const [name, found] of Object.entries(parts))
    console.log(name, 'path' in found ? found.path : found.unavailable);
  if (Object.values(parts).some((found) => 'unavailable' in found)) process.exitCode = 1;
}
