/**
 * The real programs that tests and figures are held against: where each comes from, in this order.
 *
 * 1. The environment names a ready one.
 * 2. The cache has one of exactly this version (`test/kube/parts/<name>/go.mod` and `go.sum` decide).
 * 3. For some, the machine's own package on PATH.
 * 4. It is built from source with Go, which takes minutes, and is kept in the cache.
 *
 * @example node test/kube/parts.ts kube-apiserver etcd
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { withLock } from '../../scripts/lock.ts';
import { PartUnavailable, runGo } from './go.ts';

interface Part {
  /** The Go package that is the program. */
  package: string;
  /** The module whose version is the program's. */
  module: string;
  /** Not POOLWRIGHT_…: those are the product's configuration, which refuses what it does not know. */
  environment: string;
  ldflags: (version: string) => string;
  /** A command on PATH that serves as well. */
  onPath?: string;
  minutes: number;
}

const stripped = (): string => '-s -w';

const parts = {
  etcd: {
    package: 'go.etcd.io/etcd/server/v3',
    module: 'go.etcd.io/etcd/server/v3',
    environment: 'TEST_ASSET_ETCD',
    ldflags: stripped,
    // Debian's is older and serves the API server just as well.
    onPath: 'etcd',
    minutes: 1,
  },
  'kube-apiserver': {
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    module: 'k8s.io/kubernetes',
    environment: 'TEST_ASSET_KUBE_APISERVER',
    // Without these it calls itself v0.0.0, and clients that ask for its version are confused.
    ldflags: (version) => {
      const [major, minor] = version.replace(/^v/, '').split('.');
      const at = 'k8s.io/component-base/version';
      return `-s -w -X ${at}.gitVersion=${version} -X ${at}.gitMajor=${major} -X ${at}.gitMinor=${minor}`;
    },
    minutes: 8,
  },
  helm: {
    package: 'helm.sh/helm/v3/cmd/helm',
    module: 'helm.sh/helm/v3',
    environment: 'TEST_ASSET_HELM',
    ldflags: stripped,
    minutes: 2,
  },
  'karpenter-kwok': {
    package: 'sigs.k8s.io/karpenter/kwok',
    module: 'sigs.k8s.io/karpenter',
    environment: 'TEST_ASSET_KARPENTER_KWOK',
    ldflags: stripped,
    minutes: 4,
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;

type Environment = Record<string, string | undefined>;
type Say = (line: string) => void;

const sayOnStderr: Say = (line) => void process.stderr.write(`${line}\n`);

/** The path of the program; built first if there is no other way. Throws `PartUnavailable` with what to do. */
export async function getPart(name: PartName, environment: Environment = process.env, say: Say = sayOnStderr) {
  const part: Part = parts[name];
  const named = environment[part.environment];
  if (named !== undefined && named !== '') {
    if (isProgram(named)) return named;
    throw new PartUnavailable(
      `${part.environment} is ${named}, and that is no program that can be run. Correct or unset it.`,
    );
  }
  const { key, version, source } = identify(name, part);
  const directory = cacheDirectory(environment);
  const cached = join(directory, key);
  if (isProgram(cached)) return cached;
  const installed = part.onPath === undefined ? undefined : findOnPath(part.onPath, environment);
  if (installed !== undefined) return installed;

  mkdirSync(directory, { recursive: true });
  return withLock(
    `${cached}.lock`,
    () => say(`Another run builds ${name}; waiting for it…`),
    async () => {
      // Whoever held the lock has most likely built it.
      if (isProgram(cached)) return cached;
      say(
        `Building ${name} ${version} with Go, about ${part.minutes} min on two cores; later runs find it in ${directory}`,
      );
      const started = Date.now();
      const unfinished = `${cached}.${process.pid}.new`;
      try {
        const how = `Or set ${part.environment} to a ready ${name}.`;
        await runGo(
          ['build', '-trimpath', '-ldflags', part.ldflags(version), '-o', unfinished, part.package],
          source,
          how,
        );
        renameSync(unfinished, cached);
      } finally {
        rmSync(unfinished, { force: true });
      }
      say(`Built ${name} in ${Math.round((Date.now() - started) / 1000)} s`);
      return cached;
    },
  );
}

/** Where a module of the part's dependencies lies, for what else it ships (Karpenter's CRDs). Downloads it if need be. */
export async function moduleDirectory(name: PartName): Promise<string> {
  const part: Part = parts[name];
  const { source } = identify(name, part);
  await runGo(['mod', 'download', part.module], source, '');
  return (await runGo(['list', '-m', '-f', '{{.Dir}}', part.module], source, '')).trim();
}

function cacheDirectory(environment: Environment): string {
  if (environment.TEST_ASSET_CACHE) return join(environment.TEST_ASSET_CACHE, 'kube');
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'poolwright', 'kube');
}

/** Other sources, other flags or another machine type make another program, so the name in the cache says all of them. */
function identify(name: PartName, part: Part): { key: string; version: string; source: string } {
  const source = join(import.meta.dirname, 'parts', name);
  const goMod = readFileSync(join(source, 'go.mod'), 'utf8');
  const version = goMod
    .split('\n')
    .map((line) =>
      line
        .replace(/^require/, '')
        .trim()
        .split(' '),
    )
    .find(([module]) => module === part.module)?.[1];
  if (version === undefined) throw new Error(`${source}/go.mod does not require ${part.module}`);
  const goSum = readFileSync(join(source, 'go.sum'), 'utf8');
  const hash = createHash('sha256')
    .update(`${goMod}\0${goSum}\0${part.ldflags(version)}`)
    .digest('hex')
    .slice(0, 12);
  return { key: `${name}-${version}-${process.platform}-${process.arch}-${hash}`, version, source };
}

function findOnPath(command: string, environment: Environment): string | undefined {
  return (environment.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, command))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in parts));
  if (unknown !== undefined) {
    console.error(`There is no part "${unknown}"; there are ${Object.keys(parts).join(', ')}.`);
    process.exit(2);
  }
  try {
    for (const name of wanted as PartName[]) console.log(await getPart(name));
  } catch (error) {
    if (!(error instanceof PartUnavailable)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
