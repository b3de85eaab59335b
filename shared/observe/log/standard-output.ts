/** Each line is out when the call returns: a process may stand still, or be gone, right after it. */
import fs from 'node:fs';

const standardOutput = 1;
/** How long to wait for a reader that is behind. */
const pauseMs = 10;

export function writeToStandardOutput(line: string): void {
  let rest: Uint8Array = Buffer.from(line);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(standardOutput, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The reader is gone, or the disk is full: the line is lost, and that is no reason to stop.
      if (code !== 'EAGAIN' && code !== 'EBUSY') return;
      // A pipe that does not block, and is full. What comes after this line must not come before it, so nothing else goes on.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
