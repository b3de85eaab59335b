/**
 * Zips a folder so that the same files make the same bytes, whoever makes them and when: names in order, one date, one mode. A
 * deployment then sees which functions have changed, and uploads only those.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

/** The first date that the format can name. */
const firstOfJanuary1980 = 0x0021;
const versionNeeded = 20;
/** The upper byte says that the attributes are those of Unix. */
const versionMadeBy = (3 << 8) | versionNeeded;
/** A plain file that everybody may read: the platform runs functions as somebody else. */
const readableFile = 0o100_644;
const deflated = 8;
const utf8Names = 0x0800;

/** @returns The bytes of an archive with every file below the folder. */
export function zipFolder(folder: string): Buffer {
  const names = globSync('**', { cwd: folder })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const name of names) {
    const content = readFileSync(join(folder, name));
    const packed = deflateRawSync(content, { level: 9 });
    const fields = commonFields(content, packed, name);
    const entry = Buffer.concat([signed(0x04034b50, fields), Buffer.from(name), packed]);
    entries.push(entry);
    directory.push(signed(0x02014b50, words(versionMadeBy), fields, place(offset)), Buffer.from(name));
    offset += entry.length;
  }
  const index = Buffer.concat(directory);
  const count = names.length;
  const end = signed(0x06054b50, words(0, 0, count, count), longs(index.length, offset), words(0));
  return Buffer.concat([...entries, index, end]);
}

/** What both the entry itself and its line in the directory begin with. */
const commonFields = (content: Buffer, packed: Buffer, name: string): Buffer =>
  Buffer.concat([
    words(versionNeeded, utf8Names, deflated, 0, firstOfJanuary1980),
    longs(crc32(content), packed.length, content.length),
    words(Buffer.byteLength(name), 0),
  ]);

/** The rest of a line of the directory: no comment, the first disk, the mode, and where the entry is. */
const place = (offset: number): Buffer => Buffer.concat([words(0, 0, 0), longs((readableFile << 16) >>> 0, offset)]);

const signed = (signature: number, ...parts: Buffer[]): Buffer => Buffer.concat([longs(signature), ...parts]);

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
