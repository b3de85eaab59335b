/** What the bundles for Lambda hold, and what they must not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { functionNames } from '../../../infra/aws/function-names.ts';
import { awsEntries, buildAwsEntries, problemsOf } from '../../../scripts/package/build.ts';
import { zipFolder } from '../../../scripts/package/zip.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-aws-package-'));
const names = ['provision-ec2', 'workflows'];
let built: Map<string, Metafile>;

const build = (into: string) =>
  buildAwsEntries(
    into,
    awsEntries().filter(({ name }) => names.includes(name)),
  );

beforeAll(async () => {
  built = await build(join(folder, 'one'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files of ours in a bundle, as far as they are of one provider. */
const providersIn = (name: string): string[] => {
  const files = Object.values(built.get(name)?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(files.flatMap((file) => /^shared\/providers\/([^/]+)\/provider\.ts$/.exec(file)?.[1] ?? []))];
};

it('there is an entry for every function of the template, and no other', () => {
  expect(awsEntries().map(({ name }) => name)).toEqual([...functionNames].sort());
});

it('a provisioner holds its own provider and no other, and the workflows hold none', () => {
  expect(providersIn('provision-ec2')).toEqual(['ec2']);
  expect(providersIn('workflows')).toEqual([]);
});

it('holds neither simulators nor tests, and nothing that would have to be beside it', () => {
  for (const metafile of built.values()) expect(problemsOf(metafile)).toEqual([]);
});

it('is the same, byte for byte, when it is built again', async () => {
  await build(join(folder, 'two'));
  for (const name of names) {
    expect(zipFolder(join(folder, 'one', name)).equals(zipFolder(join(folder, 'two', name)))).toBe(true);
  }
});
