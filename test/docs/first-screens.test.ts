import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const linesOf = (page: string) => readFileSync(join(root, page), 'utf8').split('\n');

it('the first screen of the README says for whom it is, what is missing, and how it compares with Karpenter', () => {
  const screen = linesOf('README.md').slice(0, 15).join('\n');
  for (const part of ['who it is for', 'not there yet', 'against Karpenter', 'docs/figures.md', 'docs/limits.md'])
    expect(screen).toContain(part);
});

it.each(['azure', 'aws'])('the page of the stand-in for %s uses a kubeconfig of its own before kubectl', (cloud) => {
  const lines = linesOf(`docs/providers/${cloud}-stand-in.md`);
  const own = lines.findIndex((line) => line.startsWith('export KUBECONFIG='));
  const uses = lines.flatMap((line, index) => (/^(kubectl|npx poolwright explain)\b/.test(line) ? [index] : []));
  expect(own).toBeGreaterThan(0);
  expect(uses.length).toBeGreaterThan(2);
  expect(uses.filter((index) => index < own)).toEqual([]);
});
