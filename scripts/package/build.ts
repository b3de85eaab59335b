/**
 * Bundles into dist/: the command line as dist/poolwright.js with its lazily loaded parts beside it. The entries of the cloud hosts are
 * bundled by those who package them (`package-azure.ts`, `package-aws.ts`). What a cloud loads must hold neither a simulator nor SQLite.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { deployedProviders, provisionerName } from '../../shared/providers/deployed.ts';
import {
  changed,
  interpretedSchemas,
  oneLanguage,
  oneSchemaClass,
  ownMetrics,
  schemasOnly,
  shortNames,
  target,
} from './lean-libraries.ts';

const repository = join(import.meta.dirname, '../..');
const dist = join(repository, 'dist');

const common = {
  absWorkingDir: repository,
  bundle: true,
  platform: 'node',
  target,
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
 * To give a module of Node its named exports, `import` reads all of them. Of some, that loads what nobody uses: of `node:http` a second HTTP
 * client, a WebSocket and HTTP/2, of `node:crypto` all of Web Crypto, of `node:fs` all streams. `require` reads what is asked for. So
 * the imports of Node's modules are rewritten in what was built: `import{a as b}from"node:fs"` becomes `var{a:b}=require("node:fs")`.
 */
function requireBuiltins({ outputs }: Metafile): void {
  for (const output of Object.keys(outputs)) {
    const file = join(repository, output);
    writeFileSync(file, builtinsByRequire(readFileSync(file, 'utf8')));
  }
}

const importStatement = /(?<![\w$.])import(?: (?<whole>[\w$]+))?(?:,?\{(?<names>[\w$, ]+)\})? ?from"(?<from>[\w:/]+)"/g;

/** @param text A module as esbuild writes it without spaces. */
export const builtinsByRequire = (text: string): string =>
  text.replace(importStatement, (statement, whole?: string, names?: string, from = '') => {
    if (!isBuiltin(from) || /\bdefault as\b/.test(names ?? '')) return statement;
    const required = `require("${from}")`;
    const parts = names === undefined ? [] : [`{${names.replaceAll(' as ', ':')}}=${whole ?? required}`];
    return `var ${[...(whole === undefined ? [] : [`${whole}=${required}`]), ...parts].join()}`;
  });

/** Asks Node itself for its modules, which needs neither a file to begin from nor the loader of CommonJS. All else is rare. */
const quickRequire = {
  js: [
    'const require = (name) => globalThis.process.getBuiltinModule(name) ??',
    "globalThis.process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);",
  ].join(' '),
};

/** It exists only in the worker of Azure Functions. */
const providedByPlatform = ['@azure/functions-core'];

/** A library asks for it within a `try`, to color what it prints, and does without it. */
const dispensable = ['supports-color'];

/** Whatever the folder is, it has to stand where dist/ stands to what is read from files. */
export async function buildCommandLine(outdir = 'dist'): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ['cli/poolwright.js'],
    outdir,
    // Node's modules that an old Node lacks are imported by a later file than the one that checks the version.
    splitting: true,
    chunkNames: 'poolwright-[hash]',
    plugins: [sourceUrls],
  });
  return metafile;
}

/** The bridge by itself: what it shares with other commands would drag in more of it than the bridge needs. */
export async function buildBridge(outdir = 'dist'): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ['cli/poolwright-bridge.js'],
    outdir,
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
    plugins: [
      ...options.plugins,
      oneSchemaClass,
      shortNames,
      rewritten(
        schemasInParts,
        aksWithServices,
        afterTheFirst(watcherPart, lazyParts(first), withoutServices),
        alike([...entries.filter(isOurs), watcherPart, ...withoutServices], loadedAtOnce(first, entries)),
        withItsSharers(httpPart, first),
      ),
    ],
  });
  requireBuiltins(metafile);
  return metafile;
}

/**
 * One folder per function of the AWS host, with all that it needs and nothing of another's. Again every import() stays a file of its own.
 * What a provisioner of one provider must not be able to load is not there.
 */
export async function buildAwsEntries(outdir: string, entries: readonly AwsEntry[]): Promise<Map<string, Metafile>> {
  const { metafile: first } = await build({
    ...awsOptions,
    entryPoints: Object.fromEntries(entries.map(({ name, file }) => [name, file])),
    outdir,
    write: false,
    plugins: [...awsOptions.plugins, rewritten(ec2AtOnce)],
  });
  const { name, version, license } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const built = new Map<string, Metafile>();
  for (const entry of entries) {
    const own = entry.name;
    const folder = join(outdir, own);
    built.set(own, await buildAwsEntry(folder, entry, first));
    const manifest = { name: `${name}-${own}`, version, license, private: true, type: 'module' };
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  return built;
}

async function buildAwsEntry(outdir: string, { name, file, provider }: AwsEntry, all: Metafile): Promise<Metafile> {
  const handler = handlerOf(file, all);
  const { metafile } = await build({
    ...awsOptions,
    entryPoints: { index: file },
    ...(provider === undefined ? {} : { define: { providerType: JSON.stringify(provider) } }),
    outdir,
    plugins: [
      // Before the others: the first one that has something to say about a file is the only one.
      ...(provider === undefined && name !== deciding ? [] : [onlyProvider(provider)]),
      ...awsOptions.plugins,
      oneSchemaClass,
      shortNames,
      rewritten(
        schemasInParts,
        ec2AtOnce,
        ...(handler === undefined ? [] : [afterTheFirst(handler, lazyParts(all), [])]),
      ),
    ],
  });
  requireBuiltins(metafile);
  return metafile;
}

/** What an entry hands its calls to: the platform loads it with the entry, while it starts the environment and before any call. */
const handlerOf = (entry: string, { inputs }: Metafile): string | undefined =>
  inputs[entry]?.imports.find(({ path }) => /^functions\/hosts\/aws\/handlers\//.test(path))?.path;

/** Our own files that are loaded by import(). */
function lazyParts({ inputs }: Metafile): Set<string> {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  const lazy = imports.filter(({ kind, path }) => kind === 'dynamic-import' && isOurs(path));
  return new Set(lazy.map(({ path }) => path));
}

/** These are loaded without a worker's services: a turn of a workflow, and what the schedules are read with. */
const withoutServices = ['functions/hosts/azure/handlers/orchestrate.ts', 'functions/hosts/azure/settings.ts'];
const watcherPart = 'functions/hosts/azure/handlers/watch.ts';
const httpPart = 'functions/hosts/azure/handlers/http.ts';

/**
 * Every set of parts that has something in common becomes a file, which makes about a hundred, and a file takes as long to find as to
 * run. But who loads any other part has loaded one first: a function's handler, or with Azure the services of the worker, which
 * are what the watcher loads. So each part is made to name that one, and all that it loads becomes one file.
 */
const afterTheFirst = (first: string, parts: ReadonlySet<string>, without: readonly string[]): Rewrite => {
  const line = importOf(first);
  return (text, file) => (!parts.has(file) || file === first || without.includes(file) ? text : `${text}\n${line}`);
};

/**
 * What entries load as they register their functions is little, but one loads this and another one that, and so each of these files
 * would be one of the bundle. So all of them load all of it.
 */
const alike =
  (files: readonly string[], loaded: ReadonlySet<string>): Rewrite =>
  (text, file) =>
    files.includes(file) ? [text, ...[...loaded].filter((one) => !files.includes(one)).map(importOf)].join('\n') : text;

/** The same for what a part has in common with others, beyond what all of them have loaded before. */
function withItsSharers(part: string, first: Metafile): Rewrite {
  const before = loadedAtOnce(first, [watcherPart]);
  const others = new Map(
    [...lazyParts(first)]
      .filter((one) => one !== part && one !== watcherPart)
      .map((one) => [one, loadedAtOnce(first, [one])]),
  );
  // Not what belongs to the part, though others use some of it: it would bring the part's libraries along.
  const shared = [...loadedAtOnce(first, [part])].filter(
    (file) => file.startsWith('shared/') && !before.has(file) && others.values().some((loaded) => loaded.has(file)),
  );
  const sharers = [...others].filter(([, loaded]) => shared.some((file) => loaded.has(file))).map(([one]) => one);
  return alike([part, ...sharers], new Set(shared));
}

/** Our own files that entries load without being called. */
function loadedAtOnce({ inputs }: Metafile, entries: readonly string[], seen = new Set<string>()): Set<string> {
  for (const entry of entries) {
    const imports = inputs[entry]?.imports ?? [];
    const files = imports.filter(({ kind, path }) => kind === 'import-statement' && isOurs(path) && !seen.has(path));
    for (const { path } of files) seen.add(path);
    loadedAtOnce(
      { inputs, outputs: {} },
      files.map(({ path }) => path),
      seen,
    );
  }
  return seen;
}

const isOurs = (file: string): boolean => /^(shared|functions)\//.test(file);

const importOf = (file: string): string => `import ${JSON.stringify(join(repository, file))};`;

/**
 * The library of schemas under one name is all of it; as a namespace it is what is used of it. It is most of what a function
 * reads before it begins. The HTTP library hands it on under that one name, too, and adds to its schemas as it is loaded.
 */
const schemasInParts: Rewrite = (text) =>
  text
    .replace(/^import \{ z \} from 'zod';$/m, "import * as z from 'zod';")
    .replace(/^import \{ (?:(.+), )?z \} from '@hono\/zod-openapi';$/m, (_, others = '') =>
      [`import { ${others} } from '@hono/zod-openapi';`, "import * as z from 'zod';"].join('\n'),
    );

/**
 * The code of a provider is small without its SDK, and a file takes longer to find than it does to run: that of the cloud that the function
 * runs in, which nearly every configuration names, is part of what is loaded first.
 */
const ec2AtOnce: Rewrite = (text, file) =>
  file === 'shared/providers/ec2/manifest.ts'
    ? `import * as code from './module.ts';\n${changed(text, { "() => import('./module.ts')": 'async () => code' })}`
    : text;

/** With Azure every entry loads the manifests, also the one that needs no provider; so the services bring it along. */
const aksWithServices: Rewrite = (text, file) =>
  file === watcherPart ? `${text}\n${importOf('shared/providers/aks/module.ts')}` : text;

type Rewrite = (text: string, file: string) => string;

/** Our own sources with some changes. All at once: of several plugins, the first one that has a file is the only one. */
const rewritten = (...rewrites: readonly Rewrite[]): Plugin => ({
  name: 'rewritten',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\](shared|functions|events|infra|test)[/\\].*\.ts$/ }, async ({ path }) => {
      const file = relative(repository, path);
      const text = await readFile(path, 'utf8');
      return { contents: rewrites.reduce((changed, rewrite) => rewrite(changed, file), text), loader: 'ts' };
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
    banner: quickRequire,
    plugins: [nothingForPeople, oneLanguage, schemasOnly, interpretedSchemas, ownMetrics],
  }) satisfies BuildOptions;

/** What only the command line and the pages need of a provider. */
const nothingForPeople: Plugin = {
  name: 'nothing-for-people',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]shared[/\\]providers[/\\][^/\\]+[/\\](texts|wizard)\.ts$/ }, () => ({
      contents: 'export {};',
    }));
  },
};

const awsOptions = {
  ...common,
  outExtension: { '.js': '.mjs' },
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  minifyWhitespace: true,
  // The CommonJS of the AWS libraries can't be shaken: all of a client would be loaded for one command.
  mainFields: ['module', 'main'],
  banner: quickRequire,
  plugins: [nothingForPeople, oneLanguage, schemasOnly, interpretedSchemas, ownMetrics],
} satisfies BuildOptions;

/** It decides and acts for no provider: every step is another function's. */
const deciding = 'workflows';

/** A function that acts for one provider has no other one's code in its bundle; its configuration names it, should it be asked for. */
const onlyProvider = (own: string | undefined): Plugin => ({
  name: 'only-provider',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]shared[/\\]providers[/\\][^/\\]+[/\\]module\.ts$/ }, ({ path }) => {
      const provider = basename(dirname(path));
      if (provider === own) return undefined;
      const text = `this function acts for ${own ?? 'no provider'}, not for ${provider}`;
      return {
        contents: `export const createProvider = async () => { throw new Error(${JSON.stringify(text)}); };`,
        loader: 'ts',
      };
    });
  },
});

/** A function of the AWS host: what its bundle is called, and the file that it begins with. */
export interface AwsEntry {
  name: string;
  file: string;
  /** The one that it acts for. */
  provider?: string;
}

const provisionEntry = 'functions/hosts/aws/entries/provision.ts';

/** The provisioning function of one provider: the same file, built with its type. */
export const provisionerEntry = (provider: string): AwsEntry => ({
  name: provisionerName(provider),
  file: provisionEntry,
  provider,
});

export const awsEntry = (file: string): AwsEntry => ({ name: basename(file, '.ts'), file });

export const awsEntries = (): AwsEntry[] =>
  [
    ...globSync('functions/hosts/aws/entries/*.ts', { cwd: repository })
      .filter((file) => file !== provisionEntry)
      .map(awsEntry),
    ...deployedProviders.map(({ type }) => provisionerEntry(type)),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));

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
      .filter(({ path, external }) => external === true && !isBuiltin(path))
      .filter(({ path }) => ![...providedByPlatform, ...dispensable].includes(path))
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
  console.log(title);
  for (const [output, { entryPoint }] of Object.entries(outputs)) {
    if (!output.includes('/parts/') && entryPoint) {
      console.log(`  ${kibibytes(bytesOf(outputs, loadedWith(outputs, output)))}  ${basename(output)}`);
    }
  }
  console.log(`  ${kibibytes(bytesOf(outputs, Object.keys(outputs)))}  in all`);
}

/** Functions with the size of their zips, of all that is in them, and of what is loaded when their environment starts. */
export function reportFunctions(
  title: string,
  functions: ReadonlyMap<string, Metafile>,
  zips: ReadonlyMap<string, { length: number }>,
): void {
  console.log(`${title}: zipped, in all, loaded at the start`);
  for (const [name, { outputs }] of functions) {
    const zipped = kibibytes(zips.get(name)?.length ?? 0);
    const entry = Object.keys(outputs).find((output) => output.endsWith('/index.mjs'));
    const begins = loadedWith(outputs, entry ?? '');
    const all = kibibytes(bytesOf(outputs, Object.keys(outputs)));
    console.log(`  ${zipped} ${all} ${kibibytes(bytesOf(outputs, begins))}  ${name}`);
  }
}

type Outputs = Metafile['outputs'];

function loadedWith(outputs: Outputs, output: string, seen = new Set<string>()): Set<string> {
  if (seen.has(output)) return seen;
  seen.add(output);
  for (const { path, kind } of outputs[output]?.imports ?? []) {
    if (kind === 'import-statement' && path in outputs) loadedWith(outputs, path, seen);
  }
  return seen;
}

const bytesOf = (outputs: Outputs, files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);

const kibibytes = (count: number): string => `${(count / 1024).toFixed(0)} KiB`.padStart(9);

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
