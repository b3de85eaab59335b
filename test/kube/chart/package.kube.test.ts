/** The chart as it is released, before the real helm. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packChart } from '../../../scripts/release/chart-package.ts';
import { chart, helm, setting } from './helm.ts';

let folder = '';
let packed = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolwright-chart-'));
  packed = join(folder, 'poolwright.tgz');
  writeFileSync(packed, packChart());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const values = setting({
  clusterName: 'east',
  bridge: { url: 'https://poolwright.example', tokenSecret: { name: 'intake', key: 'token' } },
});

test('the packed chart renders what its folder does, definitions included', async () => {
  const template = ['template', 'test', '--kube-version=1.36.0', '--include-crds', ...values];
  const [fromPackage, fromFolder] = await Promise.all([helm(...template, packed), helm(...template, chart)]);
  expect(fromPackage.ok, fromPackage.out).toBe(true);
  expect(fromPackage.out).toBe(fromFolder.out);
});

test('helm finds nothing to complain about in it', async () => {
  const { ok, out } = await helm('lint', '--strict', packed, ...values);
  expect(out).toContain('0 chart(s) failed');
  expect(ok, out).toBe(true);
});
