/** The one directory that holds all state of a host on one machine, and the lock that makes it one host's. */

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorText } from '../../../shared/base/error-text.ts';
import { LinkRefused, makePrivate, writePrivate } from '../../../shared/base/private-file.ts';
import { rememberSecret } from '../../../shared/base/secrets/known-secrets.ts';

export interface DataDirectory {
  readonly path: string;
  file(name: string): string;
  /** The bearer token of the HTTP API; made at the first start, readable by this user only. */
  token(): string;
  /** Gives the directory free; a process that dies does so too. */
  release(): void;
}

/** What is wrong, for people; the host does not start. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}

export function openDataDirectory(path: string): DataDirectory {
  const file = (name: string): string => join(path, name);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirectoryError(
      `${path}: the data directory can't be created (${errorText(error)}). Pass another one with --data-dir.`,
    );
  }
  keepOthersOut(path);
  const lock = takeLock(path, file('lock'), file('pid'));
  return {
    path,
    file,
    token: () => {
      const token = readOrMakeToken(file('token'));
      rememberSecret(token);
      return token;
    },
    release: () => {
      rmSync(file('pid'), { force: true });
      lock.close();
    },
  };
}

const root = 0;

/** Another user who can write to it could replace any file in it, or plant links. */
function keepOthersOut(path: string): void {
  if (process.platform === 'win32') return;
  const { mode, uid } = statSync(path);
  const own = process.geteuid?.() ?? uid;
  // The link as well as the directory: who owns one of them can put another directory in its place.
  const stranger = [uid, lstatSync(path).uid].find((one) => one !== own && one !== root);
  if (stranger !== undefined) {
    throw new DataDirectoryError(
      `${path}: the data directory belongs to another user (${stranger}), who can replace every file in it. Run: chown -h ${own} ${path}; chown ${own} ${path}`,
    );
  }
  if ((mode & 0o002) !== 0) {
    const now = (mode & 0o777).toString(8);
    throw new DataDirectoryError(
      `${path}: every user of this machine can write to the data directory (mode ${now}). Run: chmod 700 ${path}`,
    );
  }
  // Of a volume that the system has prepared for a group, the system is the owner.
  if ((mode & 0o077) !== 0 && uid === own) chmodSync(path, 0o700);
}

/** A lock of SQLite's on a file of its own: the system takes it back when the process dies, however it dies. */
function takeLock(path: string, lockFile: string, pidFile: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    makePrivate(lockFile);
    lock = new DatabaseSync(lockFile);
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive');
    writePrivate(pidFile, String(process.pid));
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) {
      const pid = existsSync(pidFile) ? ` (process ${readFileSync(pidFile, 'utf8')})` : '';
      throw new DataDirectoryError(
        `${path} is in use by another Poolwright${pid}. Stop it first, or pass another directory with --data-dir.`,
      );
    }
    if (error instanceof Error && 'errcode' in error && error.errcode === 26) {
      throw new DataDirectoryError(`${lockFile} is not a Poolwright lock file. Delete this file, then start again.`);
    }
    if (error instanceof LinkRefused) throw new DataDirectoryError(error.message);
    throw new DataDirectoryError(
      `${path}: the data directory can't be used (${errorText(error)}). Make it writable for this user, free some space, or pass another one with --data-dir.`,
    );
  }
}

/** A token that somebody else keeps and may rotate: it is read anew for every request. Undefined: nobody is let in. */
export function readToken(path: string): string | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim();
    rememberSecret(token);
    return token === '' ? undefined : token;
  } catch {
    return undefined;
  }
}

function readOrMakeToken(path: string): string {
  if (existsSync(path)) {
    // A person may have loosened it.
    makePrivate(path);
    const token = readFileSync(path, 'utf8').trim();
    if (token.length >= 16) return token;
  }
  const token = randomBytes(24).toString('base64url');
  // Whole or not at all: a process that dies in between must not leave half a token.
  rmSync(`${path}.new`, { force: true });
  writePrivate(`${path}.new`, `${token}\n`);
  renameSync(`${path}.new`, path);
  return token;
}
