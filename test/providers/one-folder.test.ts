/** A provider is its folder: whatever else names one is on a short list here. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deployedProviders } from '../../shared/providers/deployed.ts';

const root = join(import.meta.dirname, '../..');

/** Its code, what it shares with a relative, and its part of the simulated world. */
const ownFolders: Readonly<Record<string, RegExp>> = {
  aks: /^(shared\/providers\/(aks|agent-pools)|sim\/azure)\/|^sim\/scenes\/azure/,
  arc: /^(shared\/providers\/(arc|agent-pools)|sim\/azure)\/|^sim\/scenes\/azure/,
  ec2: /^(shared\/providers\/ec2|sim\/aws)\/|^sim\/scenes\/aws/,
};

/** The two lists, and the setting of the Helm chart that chooses between aks and arc. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  aks: ['shared/kube/cluster-settings.ts', 'shared/providers/manifests.ts', 'sim/scenes/scenes.ts'],
  arc: ['shared/kube/cluster-settings.ts', 'shared/providers/manifests.ts', 'sim/scenes/scenes.ts'],
  ec2: ['shared/providers/manifests.ts', 'sim/scenes/scenes.ts'],
};

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)(\/\/|#).*$/gm, '$1');

const product = [
  ...globSync('{cli,events,functions,infra,shared,sim}/**/*.{ts,js}', { cwd: root }),
  'serverless.yml',
  'host.json',
]
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: withoutComments(readFileSync(join(root, file), 'utf8')) }));

test('every deployed provider is held to it', () => {
  expect(Object.keys(ownFolders).sort()).toEqual(deployedProviders.map(({ type }) => type).sort());
});

test.each(Object.keys(ownFolders))('at most three product files outside its own folders name %s', (type) => {
  // A path, an image, an action of AWS (`ec2:RunInstances`) and a source of events (`aws.ec2`) are names of others.
  const named = new RegExp(String.raw`(?<![\w/.\\-])(provision-)?${type}(?![\w/.\\:-])`);
  const files = product.filter(({ file, text }) => !ownFolders[type]?.test(file) && named.test(text));
  expect(files.map(({ file }) => file).sort()).toEqual(allowed[type]);
  expect(files.length).toBeLessThanOrEqual(3);
});
