/**
 * Bundles into dist/: the command line as dist/poolwright.js with its lazily loaded parts beside it, and the entries of the
 * cloud hosts. What a cloud loads must hold neither a simulator nor SQLite.
 */
import { globSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const repository = join(import.meta.dirname, '..');
const dist = join(repository, 'dist');

/** Code that finds files beside itself (the CRDs, package.json) must find them from dist/ too. */
const sourceUrls: Plugin = {
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const url = `new URL(${JSON.stringify(relative(dist, path))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

const common = {
  absWorkingDir: repository,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  metafile: true,
  minifySyntax: true,
  // Some dependencies are CommonJS and ask for Node's modules by require.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  logLevel: 'warning',
} as const;

async function buildCommandLine(): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ['cli/poolwright.js'],
    outdir: 'dist',
    // Node's modules that an old Node lacks are imported by a later file than the one that checks the version.
    splitting: true,
    chunkNames: 'poolwright-[hash]',
    plugins: [sourceUrls],
  });
  return metafile;
}

/** The bridge by itself: what it shares with other commands would drag in more of it than the bridge needs. */
async function buildBridge(): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ['cli/poolwright-bridge.js'],
    outdir: 'dist',
    splitting: true,
    chunkNames: 'poolwright-bridge-[hash]',
    plugins: [sourceUrls],
  });
  return metafile;
}

/**
 * One bundle per entry of the Azure host. An entry registers its functions and loads what they need when one of them is called, so
 * every import() stays a file of its own, and what several entries share is there once. Modules, because only they can be split.
 */
export async function buildAzureEntries(outdir: string, entries = azureEntries()): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: entries,
    outdir,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    // Names stay: a stack trace is worth more than the bytes.
    minifyWhitespace: true,
    // It exists only in the worker of the platform.
    external: ['@azure/functions-core'],
  });
  return metafile;
}

export const azureEntries = (): string[] => globSync('functions/hosts/azure/entries/*.ts', { cwd: repository }).sort();

/** What may not be in a cloud's bundle, and the file that brought it in. */
export function strangers(metafile: Metafile): string[] {
  return Object.entries(metafile.outputs).flatMap(([output, { inputs, imports }]) => [
    ...Object.keys(inputs)
      .filter((input) => input.startsWith('sim/'))
      .map((input) => `${output} holds ${input}: simulators never get into a cloud bundle`),
    ...imports
      .filter(({ path }) => /^(node:)?sqlite$/.test(path))
      .map(() => `${output} imports node:sqlite: only the local host may`),
  ]);
}

export function report(title: string, metafile: Metafile): void {
  console.log(title);
  for (const [output, { bytes }] of Object.entries(metafile.outputs)) {
    console.log(`  ${`${(bytes / 1024).toFixed(0)} KiB`.padStart(9)}  ${output}`);
  }
}

if (import.meta.main) {
  rmSync(dist, { recursive: true, force: true });
  const commandLine = await buildCommandLine();
  report('The command line', commandLine);
  report('The bridge', await buildBridge());
  const azure = await buildAzureEntries('dist/azure/functions');
  report('The functions for Azure', azure);
  const wrong = strangers(azure);
  for (const line of wrong) console.error(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
