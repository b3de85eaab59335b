import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openChannel } from '../../shared/drivers/grpc/channel.ts';
import { typedBlocksOf } from '../../test/docs/blocks.ts';
import { Shell } from '../../test/docs/shell.ts';
import { withVersion } from './chart-package.ts';
import { problemsBefore, releaseInto } from './dry.ts';
import { tarFolder } from './tar-folder.ts';

const repository = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const run = promisify(execFile);
const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

let folder = '';
let installed = '';
/** As a machine has it that knows nothing of us. */
const env = () => ({ PATH: process.env.PATH, HOME: folder, npm_config_cache: join(folder, 'npm-cache') });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-release-'));
  await releaseInto(join(folder, 'out'));
  installed = join(folder, 'installed');
  const tarball = join(folder, `out/poolwright-${version}.tgz`);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', installed, tarball], { env: env() });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Chunks are named by their content. */
const withoutHashes = (name: string): string => name.replace(/-[A-Z0-9]{8}\.js$/, '-….js');

const poolwright = (...args: string[]) =>
  run(process.execPath, [join(installed, 'node_modules/.bin/poolwright'), ...args], { env: env(), cwd: folder });

describe('the npm package', () => {
  it('holds the command line and what it reads, and nothing else', async () => {
    const { stdout } = await run('tar', ['tzf', join(folder, `out/poolwright-${version}.tgz`)]);
    const names = [...new Set(stdout.trim().split('\n').map(withoutHashes))].sort();
    await expect(`${names.join('\n')}\n`).toMatchFileSnapshot('__snapshots__/npm-package.txt');
  });

  it('needs no other package, and is small', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'out/npm/package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).toMatchObject({ name: 'poolwright', version, bin: { poolwright: 'dist/poolwright.js' } });
    expect(statSync(join(folder, `out/poolwright-${version}.tgz`)).size).toBeLessThan(5 * 1024 * 1024);
  });

  it('says whose code it holds', () => {
    const notices = readFileSync(join(folder, 'out/npm/THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices).toMatch(/^commander \d.* \(MIT\)$/m);
    expect(notices).toMatch(/^@azure\/identity \d.* \(MIT\)$/m);
  });

  it('names no folder of the machine on which it was made', () => {
    const files = globSync('**/*', { cwd: join(folder, 'out/npm') }).map((name) => join(folder, 'out/npm', name));
    const telling = files.filter((file) => statSync(file).isFile() && readFileSync(file, 'utf8').includes(repository));
    expect(telling).toEqual([]);
  });

  it('runs where it was installed, also as a plugin of kubectl', async () => {
    expect((await poolwright('--version')).stdout).toBe(`${version}\n`);
    const plugin = join(installed, 'node_modules/.bin/kubectl-poolwright');
    const { stdout } = await run(process.execPath, [plugin, 'explain', '--help'], { env: env() });
    expect(stdout).toMatch(/^Usage: kubectl poolwright explain/);
  });

  it('has no link in any page that leads out of it', () => {
    const pages = globSync('**/*.md', { cwd: join(folder, 'out/npm') });
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/reference/errors.md']));
    for (const page of pages) {
      const text = readFileSync(join(folder, 'out/npm', page), 'utf8');
      const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, target = '']) => target);
      const at = dirname(join(folder, 'out/npm', page));
      expect(targets.filter((one) => !/^https?:/.test(one) && !existsSync(join(at, one)))).toEqual([]);
      expect(text.length).toBeGreaterThan(1000);
    }
  });

  it('holds the page that `errors` names', async () => {
    const { page } = JSON.parse((await poolwright('errors', 'QuotaExceeded', '-o', 'json')).stdout) as { page: string };
    const [file = '', anchor = ''] = page.split('#');
    const text = readFileSync(join(installed, 'node_modules/poolwright', file), 'utf8');
    expect(text.toLowerCase()).toContain(`## ${anchor}`);
  });

  it('holds every page of the documentation that a command may name', () => {
    const code = globSync('{cli,shared,functions}/**/*.ts', { cwd: repository }).filter(
      (name) => !name.endsWith('.test.ts'),
    );
    const lines = code.flatMap((name) => readFileSync(join(repository, name), 'utf8').split('\n'));
    const texts = lines.filter((line) => !/^\s*(\/?\*|\/\/)/.test(line));
    const named = new Set(texts.flatMap((line) => line.match(/\bdocs\/[\w/-]+\.md\b/g) ?? []));
    expect(named.size).toBeGreaterThan(2);
    expect([...named].filter((page) => !existsSync(join(folder, 'out/npm', page)))).toEqual([]);
  });

  it.skipIf(!hasKubectl)(
    'does what its README says',
    async () => {
      const blocks = typedBlocksOf(readFileSync(join(installed, 'node_modules/poolwright/README.md'), 'utf8'));
      expect(blocks.length).toBeGreaterThan(2);
      const scratch = mkdtempSync(join(folder, 'readme-'));
      const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
      const shell = new Shell({ cwd: installed, scratch, env: { ...env(), PATH, npm_config_offline: 'true' } });
      try {
        const printed: string[] = [];
        for (const { text } of blocks) printed.push(await shell.run(text));
        expect(printed.join('')).toContain('cause  nothing is wrong');
      } finally {
        await shell.close();
      }
    },
    120_000,
  );

  it('starts a host that is ready, and stops it', async () => {
    const host = spawn(
      process.execPath,
      [
        join(installed, 'node_modules/.bin/poolwright'),
        'start',
        '--http-port',
        '0',
        '--json',
        '-d',
        join(folder, 'data'),
      ],
      { env: env(), cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const ended = new Promise<number | null>((resolve) => host.once('exit', resolve));
    const lines: string[] = [];
    const started = new Promise<void>((resolve) => {
      for (const stream of [host.stdout, host.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          lines.push(line);
          if (line.includes('host.started')) resolve();
        });
      }
    });
    await Promise.race([started, ended]);
    const { stdout } = await poolwright('clusters', '-d', join(folder, 'data'));
    expect(stdout, lines.join('\n')).toContain('sim');
    host.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it("starts a provider the way VirtRigaud's manager starts an image", async () => {
    const [port, healthPort] = [await freePort(), await freePort()];
    const provider = spawn(
      process.execPath,
      [join(installed, 'node_modules/.bin/poolwright'), `--port=${port}`, `--health-port=${healthPort}`],
      {
        env: { ...env(), ...asManagerSets, POOLWRIGHT_DRIVER: 'mock' },
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const ended = new Promise<number | null>((resolve) => provider.once('exit', resolve));
    const lines: string[] = [];
    const started = new Promise<void>((resolve) => {
      for (const stream of [provider.stdout, provider.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          lines.push(line);
          if (line.includes('provider-server.started')) resolve();
        });
      }
    });
    await Promise.race([started, ended]);
    expect(lines.join('\n')).toContain('provider-server.started');
    for (const path of ['healthz', 'readyz', 'metrics']) {
      expect((await fetch(`http://127.0.0.1:${healthPort}/${path}`)).status, path).toBe(200);
    }
    const channel = openChannel({ address: `127.0.0.1:${port}` });
    const valid = await channel.call('Validate', {}, { seconds: 10, signal: new AbortController().signal });
    channel.close();
    expect(valid).toMatchObject({ ok: true, value: { ok: true } });
    provider.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

const asManagerSets = {
  PROVIDER_TYPE: 'vsphere',
  PROVIDER_ENDPOINT: 'https://vcenter.example.com',
  PROVIDER_NAME: 'one',
  PROVIDER_NAMESPACE: 'team',
  TLS_ENABLED: 'false',
  TLS_INSECURE_SKIP_VERIFY: 'false',
  LOG_LEVEL: 'info',
  LOG_FORMAT: 'json',
  PROVIDER_DEFAULT_CLUSTER: 'compute',
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** As Linux has it: whatever its name is. */
const isMachineCode = (file: string): boolean => readFileSync(file).subarray(0, 4).equals(Buffer.from('\x7fELF'));

describe('the container image', () => {
  const recipe = readFileSync(join(repository, 'infra/container/Dockerfile'), 'utf8');

  it('copies what the release has, and starts a file that is there', () => {
    const own = [...recipe.matchAll(/^COPY (?!--from)(\S+) (\S+)$/gm)].map(([, from = '', to = '']) => ({ from, to }));
    expect(own).toEqual([{ from: 'npm/', to: '/poolwright/' }]);
    const entry = /^ENTRYPOINT \[.*"\/poolwright\/([^"]+)"\]$/m.exec(recipe)?.[1] ?? 'none';
    expect(statSync(join(folder, 'out/npm', entry)).isFile()).toBe(true);
  });

  it('runs as nobody in particular, by number, so that Kubernetes can tell', () => {
    const users = [...recipe.matchAll(/^USER (.*)$/gm)].map(([, user]) => user);
    expect(users).toEqual(['65532:65532']);
    expect(recipe.indexOf('USER')).toBeGreaterThan(recipe.lastIndexOf('RUN'));
  });

  it('has a shell, with which providers are told to wait before they stop', () => {
    expect(recipe.split(/^(?=FROM )/m).at(-1)).toMatch(/^FROM alpine:/);
  });

  it('is built for other architectures without an emulator, and has no code for one of them', () => {
    const stages = recipe.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
    const running = stages.filter((stage) => /^RUN /m.test(stage));
    expect(running.every((stage) => stage.startsWith('FROM --platform=$BUILDPLATFORM '))).toBe(true);
    expect(stages.at(-1)).not.toMatch(/^RUN /m);
    const files = readdirSync(join(folder, 'out/npm'), { recursive: true, withFileTypes: true });
    const native = files.filter((file) => file.isFile() && isMachineCode(join(file.parentPath, file.name)));
    expect(files.length).toBeGreaterThan(10);
    expect(native.map(({ name }) => name)).toEqual([]);
  });
});

describe('the chart', () => {
  it('is packed with its definitions and rights instead of links to them', async () => {
    const { stdout } = await run('tar', ['tzf', join(folder, `out/poolwright-chart-${version}.tgz`)]);
    await expect(stdout).toMatchFileSnapshot('__snapshots__/chart-package.txt');
    const { stdout: listed } = await run('tar', ['tvzf', join(folder, `out/poolwright-chart-${version}.tgz`)]);
    expect(listed).not.toContain(' -> ');
  });

  it('is the same file from the same sources', () => {
    const chart = join(repository, 'infra/kubernetes/chart');
    expect(gunzipSync(tarFolder(chart, 'poolwright')).equals(gunzipSync(tarFolder(chart, 'poolwright')))).toBe(true);
  });

  it('has the version of the product in both places', () => {
    const text = 'apiVersion: v2\nversion: 0.0.1\nappVersion: 0.0.1\n';
    expect(withVersion(text, '1.2.3')).toBe('apiVersion: v2\nversion: 1.2.3\nappVersion: 1.2.3\n');
  });
});

describe('before a release', () => {
  const chart = (one: string) => `version: ${one}\nappVersion: ${one}\n`;

  it('the changelog has to speak of the version, or of what is unreleased', () => {
    expect(problemsBefore('1.2.3', '## [1.2.3] - 2026-01-01\n\n- New.\n', chart('1.2.3'))).toEqual([]);
    expect(problemsBefore('1.2.3', '## [Unreleased]\n\n- New.\n', chart('1.2.3'))).toEqual([]);
  });

  it.each([
    ['only of another version', '## [1.2.2]\n\n- Old.\n'],
    ['under an empty heading', '## [Unreleased]\n\n## [1.2.2]\n\n- Old.\n'],
    ['of a version that begins alike', '## [1.2.30]\n\n- Other.\n'],
  ])('a changelog that speaks %s will not do', (_, changelog) => {
    expect(problemsBefore('1.2.3', changelog, chart('1.2.3'))).toEqual([
      'CHANGELOG.md has nothing about 1.2.3: say what changes for people',
    ]);
  });

  it('the chart has to have followed', () => {
    expect(problemsBefore('1.2.3', '## [Unreleased]\n\n- New.\n', chart('1.2.2'))).toEqual([
      'infra/kubernetes/chart/Chart.yaml says 1.2.2 and 1.2.2, but this is 1.2.3: run npm run generate',
    ]);
  });
});
