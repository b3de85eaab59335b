/** Whether the disk of the data directory has room for more events: what was accepted must never be what ends the host. */
import { statfsSync } from 'node:fs';
import type { Clock } from '../../../shared/base/runtime.ts';

export interface FreeSpaceOptions {
  path: string;
  minFreeMegabytes: number;
  clock: Clock;
  statfs?: (path: string) => { bsize: number; blocks: number; bavail: number };
}

const megabyte = 1024 * 1024;
/** Of a small disk the limit would be too much. */
const largestPart = 0.1;
const lookEveryMs = 500;
/** A body is written to the log of the database, then to its place, and has entries in indexes. */
const bytesPerByte = 3;

/** What is wrong with the disk, if it is: asked for each so many bytes that are to be stored. */
export function freeSpaceProblem(options: FreeSpaceOptions): (bytes: number) => string | undefined {
  const { path, minFreeMegabytes, clock, statfs = statfsSync } = options;
  let space: { free: number; least: number } | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** Accepted since the last look, and between the two before: it may not be on the disk yet. */
  let accepted = { now: 0, before: 0 };

  const look = (): typeof space => {
    try {
      const { bsize, blocks, bavail } = statfs(path);
      const least = Math.min(minFreeMegabytes * megabyte, blocks * bsize * largestPart);
      return { free: bavail * bsize, least };
    } catch {
      // A file system that can't tell is no reason to refuse; a write that fails says so itself.
      return undefined;
    }
  };

  return (bytes) => {
    const now = clock.monotonic();
    if (now - lookedAt >= lookEveryMs) {
      space = look();
      lookedAt = now;
      accepted = { now: 0, before: accepted.now };
    }
    const under = accepted.now + accepted.before + bytes;
    if (!space || space.least === 0 || space.free - under * bytesPerByte >= space.least) {
      accepted.now += bytes;
      return undefined;
    }
    return `the disk of the data directory has ${whole(space.free)} MB free, and at least ${whole(space.least)} MB must stay free`;
  };
}

const whole = (bytes: number): number => Math.round(bytes / megabyte);
