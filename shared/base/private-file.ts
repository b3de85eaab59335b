/** Files that hold state or secrets: for this user alone, and never through a link that another user may have planted. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, writeFileSync } from 'node:fs';

const forOneself = 0o600;
/** Windows has neither modes nor this flag. */
const noFollow = constants.O_NOFOLLOW ?? 0;

export class LinkRefused extends Error {
  override readonly name = 'LinkRefused';
}

/** Opens a file to append to, and makes it if it is not there. */
export const openPrivate = (path: string): number => opened(path, constants.O_RDWR | constants.O_APPEND);

/** The whole content of a file that may be there already. */
export function writePrivate(path: string, content: string | Uint8Array): void {
  const descriptor = opened(path, constants.O_WRONLY | constants.O_TRUNC);
  try {
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * For a file that a library opens by its name. What the library makes along with it gets the same mode. Any problem but a link is
 * for the library to report.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(opened(path, constants.O_RDWR));
  } catch (error) {
    if (error instanceof LinkRefused) throw error;
  }
}

function opened(path: string, flags: number): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags | constants.O_CREAT | noFollow, forOneself);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ELOOP')) throw error;
    throw new LinkRefused(`${path} is a symbolic link, which Poolwright does not follow. Delete the link.`);
  }
  tighten(descriptor);
  return descriptor;
}

/** An older version, or a person, may have left it readable. Only the owner can change that. */
function tighten(descriptor: number): void {
  const { mode, uid } = fstatSync(descriptor);
  if ((mode & 0o077) !== 0 && uid === process.geteuid?.()) fchmodSync(descriptor, forOneself);
}
