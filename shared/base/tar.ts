/** A gzipped tar archive (ustar, which every tool reads) of files that are in memory. The same files make the same bytes. */
import { gzipSync } from 'node:zlib';

export interface TarFile {
  /** At most 100 bytes. */
  name: string;
  content: Uint8Array | string;
}

export interface TarOptions {
  /** Stands on every file. */
  atMs: number;
  /** Who may do what with the files once they are unpacked. */
  mode: number;
}

const block = 512;

export function tarball(files: readonly TarFile[], options: TarOptions): Buffer {
  const parts = files.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content);
    return [header(name, bytes.length, options), bytes, Buffer.alloc(padding(bytes.length))];
  });
  // Two empty blocks are the end.
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 9 });
}

const padding = (length: number): number => (block - (length % block)) % block;

function header(name: string, size: number, { atMs, mode }: TarOptions): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`the name ${name} is too long for an archive`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number): void =>
    void bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  bytes.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(atMs / 1000), 136, 12);
  // The sum is taken as if its own place held spaces.
  bytes.write(' '.repeat(8), 148);
  bytes.write('0', 156);
  bytes.write('ustar\0', 257);
  bytes.write('00', 263);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}
