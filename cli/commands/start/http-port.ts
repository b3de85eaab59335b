/**
 * Where the HTTP API listens, and how other commands find it: `http.json` in the data directory.
 * It stays after the host has stopped, so that the next start takes the same port again.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../../terminal/user-error.ts';

const fileIn = (directory: string): string => join(directory, 'http.json');

/** `tokenFile` only where it is not the one in the data directory. */
export function rememberUrl(directory: string, url: string, tokenFile?: string): void {
  const file = fileIn(directory);
  writeFileSync(`${file}.new`, `${JSON.stringify({ url, tokenFile })}\n`, { mode: 0o600 });
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

export interface PortChoice {
  port: number;
  /** When it is another one than people expect. */
  note?: string;
}

/**
 * A port that somebody asked for must be had. The usual one gives way: whoever tries the product beside another one of it
 * must not have to know about ports.
 */
export async function choosePort(
  at: { host: string; port: number },
  asked: boolean,
  directory: string,
): Promise<PortChoice> {
  const { host, port } = at;
  if (port === 0) return { port };
  if (asked) {
    if (await isFree(host, port)) return { port };
    throw new UserError(
      `Port ${port} on ${host} is in use. Stop the process that uses it, or pass another port with --http-port (0: any free port).`,
      { code: 'PortTaken' },
    );
  }
  const url = rememberedUrl(directory);
  const remembered = url === undefined ? Number.NaN : Number(new URL(url).port);
  if (remembered > 0 && remembered !== port && (await isFree(host, remembered))) return { port: remembered };
  if (await isFree(host, port)) return { port };
  return { port: 0, note: `port ${port} is in use, so this is another one` };
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    // Only a taken port is an answer here; what else is wrong with the address, the real server says better.
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
