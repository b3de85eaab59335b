/**
 * Where the HTTP API of a local host listens: `http.json` in the data directory, written by the host, read by other commands.
 * It stays after the host has stopped, so that the next start takes the same port again.
 */
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../shared/base/private-file.ts';

const fileIn = (directory: string): string => join(directory, 'http.json');

/** `tokenFile` only where it is not the one in the data directory. */
export function rememberUrl(directory: string, url: string, tokenFile?: string): void {
  const file = fileIn(directory);
  writePrivate(`${file}.new`, `${JSON.stringify({ url, tokenFile })}\n`);
  renameSync(`${file}.new`, file);
}

export function rememberedUrl(directory: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(fileIn(directory), 'utf8')) as { url?: unknown };
    return typeof url === 'string' && URL.canParse(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Where the token stands that lets other commands in. */
export function rememberedTokenFile(directory: string): string {
  const usual = join(directory, 'token');
  try {
    const { tokenFile } = JSON.parse(readFileSync(fileIn(directory), 'utf8')) as { tokenFile?: unknown };
    return typeof tokenFile === 'string' ? tokenFile : usual;
  } catch {
    return usual;
  }
}
