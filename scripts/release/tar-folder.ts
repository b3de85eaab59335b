/** Packs a folder so that the same files make the same bytes, whoever makes them and when: names in order, one date, one mode. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tarball } from '../../shared/base/tar.ts';

/** What npm gives the files of its packages. Before 1980 some tools take a date for a mistake. */
const atMs = Date.UTC(1985, 9, 26, 8, 15);
const readableFile = 0o644;

/** A gzipped archive of every file below `folder`, links followed, each under `prefix`. */
export function tarFolder(folder: string, prefix: string): Buffer {
  const names = globSync('**', { cwd: folder, followSymlinks: true })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
  const files = names.map((name) => ({ name: `${prefix}/${name}`, content: readFileSync(join(folder, name)) }));
  return tarball(files, { atMs, mode: readableFile });
}
