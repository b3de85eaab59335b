/**
 * Bundles into dist/: the command line as dist/poolwright.js with its lazily loaded parts beside it. The entries of the cloud hosts are
 * bundled by those who package them (`package-azure.ts`). What a cloud loads must hold neither a simulator nor SQLite.
 */
import { globSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';

const repository = join(import.meta.dirname, '..');
const dist = join(repository, 'dist');

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

/**
 * The library of schemas brings its messages in fifty languages, half of its code. One import of it as a whole, such as that of the HTTP
 * library, would put them into the part that every function loads; nobody asks for another language than the default.
 */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * To give a module of Node its named exports, `import` reads all of them. Of some, that loads what nobody uses: of `node:http` a second HTTP
 * client, a WebSocket and HTTP/2, of `node:crypto` all of Web Crypto. `require` reads what is asked for.
 */
const builtinsByRequire: Plugin = {
  name: 'builtins-by-require',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(http|crypto)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'by-require' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'by-require' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** The library of metrics brings what measures a process and sends to a gateway. Ours are our own, and are only read. */
const ownMetrics: Plugin = {
  name: 'own-metrics',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]prom-client[/\\]index\.js$/ }, () => ({
      contents: ['Registry', 'Counter', 'Gauge', 'Histogram']
        .map((name) => `exports.${name} = require('./lib/${name.toLowerCase()}');`)
        .join('\n'),
    }));
  },
};

/**
 * Short names within the functions of libraries: what is loaded is read more quickly. The names of the functions themselves, and all of
 * ours, stay: a stack trace is worth more than the bytes.
 */
const shortNames: Plugin = {
  name: 'short-names',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]node_modules[/\\].*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path), { minifyIdentifiers: true, target: common.target });
      return { contents: code };
    });
  },
};

/** It exists only in the worker of Azure Functions. */
const providedByPlatform = ['@azure/functions-core'];

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
  const options = azureOptions(outdir, entries);
  const { metafile: first } = await build({ ...options, write: false });
  const { metafile } = await build({
    ...options,
    plugins: [...options.plugins, shortNames, afterTheWatcher(lazyParts(first))],
  });
  return metafile;
}

/** Our own files that are loaded by import(). */
function lazyParts({ inputs }: Metafile): Set<string> {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  const lazy = imports.filter(({ kind, path }) => kind === 'dynamic-import' && /^(shared|functions)\//.test(path));
  return new Set(lazy.map(({ path }) => path));
}

/** These are loaded without a worker's services: a turn of a workflow, and what the schedules are read with. */
const withoutServices = ['functions/hosts/azure/handlers/orchestrate.ts', 'functions/hosts/azure/settings.ts'];
const watcherPart = 'functions/hosts/azure/handlers/watch.ts';

/**
 * Every set of parts that has something in common becomes a file, which makes about a hundred, and a file takes as long to find as to
 * run. But who loads any other part has the services of the worker already, and these are what the watcher loads. So each
 * part is made to name the watcher's, and all that the watcher loads becomes one file.
 */
const afterTheWatcher = (parts: ReadonlySet<string>): Plugin => ({
  name: 'after-the-watcher',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const file = relative(repository, path);
      if (!parts.has(file) || file === watcherPart || withoutServices.includes(file)) return undefined;
      const text = await readFile(path, 'utf8');
      return { contents: `${text}\nimport ${JSON.stringify(join(repository, watcherPart))};`, loader: 'ts' };
    });
  },
});

const azureOptions = (outdir: string, entries: string[]) =>
  ({
    ...common,
    entryPoints: Object.fromEntries(entries.map((file) => [basename(file, '.ts'), file])),
    outdir,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    minifyWhitespace: true,
    external: providedByPlatform,
    // A library that is loaded lazily must be a module: of CommonJS, import() would give no names.
    mainFields: ['module', 'main'],
    plugins: [oneLanguage, builtinsByRequire, ownMetrics],
  }) satisfies BuildOptions;

export const azureEntries = (): string[] => globSync('functions/hosts/azure/entries/*.ts', { cwd: repository }).sort();

/** What may not be in a cloud's bundle, and the file that brought it in. */
export function strangers(metafile: Metafile): string[] {
  return Object.entries(metafile.outputs).flatMap(([output, { inputs, imports }]) => [
    ...Object.keys(inputs)
      .filter((input) => /^(sim|test)\/|\.test\.ts$/.test(input))
      .map((input) => `${output} holds ${input}: simulators and tests never get into a cloud bundle`),
    ...imports
      .filter(({ path }) => /^(node:)?sqlite$/.test(path))
      .map(() => `${output} imports node:sqlite: only the local host may`),
  ]);
}

/** Libraries whose names `import()` would not find: esbuild gives the exports of CommonJS as one default. */
function nameless(metafile: Metafile): string[] {
  return Object.entries(metafile.outputs)
    .filter(([, { entryPoint, exports }]) => entryPoint?.startsWith('node_modules/') && exports.join() === 'default')
    .map(
      ([output, { entryPoint }]) => `${output} is ${entryPoint}, which is CommonJS: import() finds none of its names`,
    );
}

/** What a bundle would have to find in a node_modules that is not there. */
function missing(metafile: Metafile): string[] {
  return Object.entries(metafile.outputs).flatMap(([output, { imports }]) =>
    imports
      .filter(({ path, external }) => external === true && !isBuiltin(path) && !providedByPlatform.includes(path))
      .map(({ path }) => `${output} imports ${path}, which is not in the bundle`),
  );
}

export const problemsOf = (metafile: Metafile): string[] => [
  ...strangers(metafile),
  ...missing(metafile),
  ...nameless(metafile),
];

/** Entries with what they load at once; the rest is loaded when a function needs it. */
export function reportEntries(title: string, { outputs }: Metafile): void {
  const loadedWith = (output: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(output)) return seen;
    seen.add(output);
    for (const { path, kind } of outputs[output]?.imports ?? []) {
      if (kind === 'import-statement' && path in outputs) loadedWith(path, seen);
    }
    return seen;
  };
  const bytes = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  const kibibytes = (count: number): string => `${(count / 1024).toFixed(0)} KiB`.padStart(9);
  console.log(title);
  for (const [output, { entryPoint }] of Object.entries(outputs)) {
    if (!output.includes('/parts/') && entryPoint) {
      console.log(`  ${kibibytes(bytes(loadedWith(output)))}  ${basename(output)}`);
    }
  }
  console.log(`  ${kibibytes(bytes(Object.keys(outputs)))}  in all`);
}

function report(title: string, metafile: Metafile): void {
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
}
