import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { withLock } from '../../scripts/lock.ts';
import { getPart } from './parts.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-parts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

it('takes the program that the environment names', async () => {
  const named = program('my-apiserver');
  expect(await getPart('kube-apiserver', { TEST_ASSET_KUBE_APISERVER: named })).toBe(named);
});

it('refuses a name that is no program, instead of taking another one', async () => {
  const wanted = getPart('etcd', { TEST_ASSET_ETCD: join(folder, 'missing'), PATH: folder });
  await expect(wanted).rejects.toThrow(/TEST_ASSET_ETCD is .*missing.*Correct or unset it/);
});

it('takes the etcd of the machine where the cache has none', async () => {
  const installed = program('etcd');
  expect(await getPart('etcd', { TEST_ASSET_CACHE: join(folder, 'empty'), PATH: folder })).toBe(installed);
});

it('runs one after the other, and leaves no lock behind', async () => {
  const file = join(folder, 'one.lock');
  const order: string[] = [];
  let release = (): void => undefined;
  const first = withLock(
    file,
    () => undefined,
    () => new Promise<void>((resolve) => (release = resolve)).then(() => void order.push('first')),
  );
  const second = withLock(file, release, async () => void order.push('second'));
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  expect(readdirSync(folder)).not.toContain('one.lock');
});

it('takes over the lock of a process that was killed', async () => {
  const file = join(folder, 'stale.lock');
  // Above the highest process id that Linux gives.
  writeFileSync(file, String(2 ** 22 + 1));
  expect(
    await withLock(
      file,
      () => undefined,
      async () => 'done',
    ),
  ).toBe('done');
});
