import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { builtinsByRequire, problemsOf } from './build.ts';
import { changed, metricClasses } from './lean-libraries.ts';

/** Bundles a file that is not on the disk, as if it stood in functions/. */
async function bundle(contents: string, external: string[] = []) {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../..'),
    stdin: { contents, resolveDir: join(import.meta.dirname, '../../functions'), sourcefile: 'functions/made-up.ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    outdir: '.',
    splitting: true,
    external,
    logLevel: 'silent',
  });
  return problemsOf(metafile);
}

it('finds a simulator in a function, also behind another file', async () => {
  const found = await bundle("import { defaultCatalog } from '../sim/cloud/catalog.ts'; console.log(defaultCatalog);");
  expect(found).toEqual([
    expect.stringMatching(
      /^stdin.js holds sim\/cloud\/catalog.ts: simulators and tests never get into a cloud bundle$/,
    ),
  ]);
});

it('finds what belongs to tests in a function', async () => {
  const found = await bundle(
    "import { anOwner } from '../test/conformance/providers/requests.ts'; console.log(anOwner);",
    ['vitest'],
  );
  expect(found.join('\n')).toContain('holds test/conformance/providers/requests.ts: simulators and tests never');
});

it('finds SQLite in a function, also when it is loaded lazily', async () => {
  expect(await bundle("const { DatabaseSync } = await import('node:sqlite'); console.log(DatabaseSync);")).toHaveLength(
    1,
  );
  expect(
    await bundle("import { openDatabase } from '../shared/platforms/sqlite/sqlite.ts'; console.log(openDatabase);"),
  ).toHaveLength(1);
});

it('lets a function pass that knows only what it may', async () => {
  expect(
    await bundle("import { phaseOf } from '../shared/nodes/claims/attempt/attempt.ts'; console.log(phaseOf);"),
  ).toEqual([]);
});

it('finds a library that would have to be beside the bundle', async () => {
  const found = await bundle("import { parse } from 'yaml'; console.log(parse);", ['yaml']);
  expect(found).toEqual(['stdin.js imports yaml, which is not in the bundle']);
});

it('keeps every class of the library of metrics that the product uses', () => {
  const source = readFileSync(join(import.meta.dirname, '../../shared/observe/metrics.ts'), 'utf8');
  const [, imported = ''] = /import \{([^}]*)\} from 'prom-client';/.exec(source) ?? [];
  const classes = imported.split(',').map((name) => name.trim());
  expect(classes.filter((name) => name !== '' && !name.startsWith('type ')).sort()).toEqual([...metricClasses].sort());
});

it('finds a library whose names a lazy import would lose', async () => {
  const found = await bundle("const { Registry } = await import('prom-client'); console.log(Registry);");
  expect(found).toEqual([expect.stringContaining('prom-client/index.js, which is CommonJS')]);
});

it.each([
  ['import{a}from"node:fs";', 'var {a}=require("node:fs");'],
  ['import{a as b,c}from"fs/promises";', 'var {a:b,c}=require("fs/promises");'],
  ['import b from"node:https";', 'var b=require("node:https");'],
  ['import b,{a as $}from"node:https";', 'var b=require("node:https"),{a:$}=b;'],
])('asks for a module of Node by require: %s', (written, rewritten) => {
  expect(builtinsByRequire(`f();${written}g();`)).toBe(`f();${rewritten}g();`);
});

it.each([
  ['another file', 'import{a}from"./parts/chunk-A.js";'],
  ['a library of the platform', 'import{a}from"@azure/functions-core";'],
  ['a whole namespace', 'import*as a from"node:fs";'],
  ['a default by name', 'import{default as a}from"node:fs";'],
  ['what is loaded lazily', 'await import("node:fs");'],
])('leaves the import of %s as it is', (_, written) => {
  expect(builtinsByRequire(written)).toBe(written);
});

it('refuses to change a library that is written differently', () => {
  expect(changed('a b c', { b: '$&' })).toBe('a $& c');
  expect(() => changed('a c', { b: 'd' })).toThrow('a library no longer contains b');
});
