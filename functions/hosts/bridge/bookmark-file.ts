/** The bookmark of the bridge in a file. */
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from '../../../shared/base/private-file.ts';
import { type BookmarkStore, parseBookmark } from '../../sources/bookmarks.ts';

/** One file for each cluster, so that several bridges can share a directory. */
export function fileBookmarks(directory: string, cluster: string): BookmarkStore {
  const file = join(directory, `bookmark-${cluster}.json`);
  return {
    async read() {
      try {
        return parseBookmark(await readFile(file, 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(bookmark) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // Whoever reads while we write, or after we died in the middle, finds the old one whole.
      writePrivate(`${file}.new`, JSON.stringify(bookmark));
      await rename(`${file}.new`, file);
    },
  };
}
