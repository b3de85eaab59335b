import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { zipFolder } from './zip.ts';

function folder(files: Record<string, string>): string {
  const made = mkdtempSync(join(tmpdir(), 'poolwright-zip-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(made, 'parts'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  return made;
}

/** As the format says it is read: from the end to the directory, and from there to the entries. */
function unzip(archive: Buffer): Record<string, string> {
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  const files: Record<string, string> = {};
  let line = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    expect(archive.readUInt32LE(line)).toBe(0x02014b50);
    expect(archive.readUInt32LE(line + 38) >>> 16).toBe(0o100644);
    const [packedSize, size] = [archive.readUInt32LE(line + 20), archive.readUInt32LE(line + 24)];
    const nameLength = archive.readUInt16LE(line + 28);
    const name = archive.toString('utf8', line + 46, line + 46 + nameLength);
    const entry = archive.readUInt32LE(line + 42);
    expect(archive.readUInt32LE(entry)).toBe(0x04034b50);
    expect(archive.toString('utf8', entry + 30, entry + 30 + archive.readUInt16LE(entry + 26))).toBe(name);
    const content = inflateRawSync(archive.subarray(entry + 30 + nameLength, entry + 30 + nameLength + packedSize));
    expect([content.length, crc32(content)]).toEqual([size, archive.readUInt32LE(line + 16)]);
    files[name] = content.toString('utf8');
    line += 46 + nameLength;
  }
  expect(line).toBe(end);
  return files;
}

const files = { 'parts/b-é.mjs': 'x'.repeat(50_000), 'index.mjs': 'export const handler = 1;', empty: '' };

it('holds every file of the folder, packed', () => {
  const archive = zipFolder(folder(files));
  expect(unzip(archive)).toEqual(files);
  expect(archive.length).toBeLessThan(1000);
});

it('is the same whenever and in whatever order the files were written', () => {
  const one = folder(files);
  const other = folder(Object.fromEntries(Object.entries(files).reverse()));
  utimesSync(join(other, 'index.mjs'), 1, 1);
  expect(zipFolder(one).equals(zipFolder(other))).toBe(true);
});
