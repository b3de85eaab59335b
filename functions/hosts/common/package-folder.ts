/** Where the package lies: the folder with package.json, whether this runs from the sources or from a bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const packageFolder: string = folderWith('package.json', import.meta.dirname);

export const version: string = readVersion();

function folderWith(file: string, start: string): string {
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return folder;
  }
  return start;
}

function readVersion(): string {
  try {
    const { version: found } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
    return String(found);
  } catch {
    return 'unknown';
  }
}
