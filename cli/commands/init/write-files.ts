/** Several files, all of them or none: whoever is stopped in between has what was there before. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { writePrivate } from '../../../shared/base/private-file.ts';
import { written } from '../../terminal/write-problem.ts';

export interface NewFile {
  name: string;
  text: string;
}

export const present = (files: readonly NewFile[]): string[] =>
  files.map(({ name }) => name).filter((name) => existsSync(name));

/** Those beside the files until all are whole; a rename is done or not done. */
const partial = (name: string): string => `${name}.partial`;

/** @param check Sees the files as they will be, under other names; what it throws leaves nothing behind. */
export async function writeFiles(
  files: readonly NewFile[],
  check: (nameOf: (name: string) => string) => Promise<void>,
): Promise<void> {
  try {
    // Who may start machines is nobody else's business on this machine.
    for (const { name, text } of files) written(name, () => writePrivate(partial(name), text));
    await check(partial);
    for (const { name } of files) written(name, () => renameSync(partial(name), name));
  } finally {
    for (const { name } of files) rmSync(partial(name), { force: true });
  }
}
