/**
 * A child process that never outlives its parent, however that ends: a shell holds the other end of a pipe, and kills the
 * program when the pipe closes. A handler for exit alone would not be called on kill -9.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';

export interface GuardedProcess {
  /** The program's own id, not that of the shell. */
  readonly pid: number;
  /** Resolves with the end of what it wrote when it has ended, whether asked to or not. */
  readonly ended: Promise<string>;
  /** The data of these programs is thrown away, so they are not asked to end: they are killed. */
  stop(): Promise<void>;
}

// Descriptor 3 is the pipe: what a shell starts in the background has no stdin of its own.
const guard = `exec 3<&0
"$@" </dev/null 3<&- & program=$!
echo "$program"
{ cat <&3 >/dev/null; kill -KILL "$program"; } 2>/dev/null & watcher=$!
exec 3<&-
wait "$program"; code=$?
kill "$watcher" 2>/dev/null
exit "$code"`;

export async function startGuarded(
  program: string,
  args: string[],
  /** Undefined takes a variable of ours away. */
  options: { logFile: string; env?: Record<string, string | undefined> },
): Promise<GuardedProcess> {
  const child = spawn('sh', ['-c', guard, 'sh', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const log = createWriteStream(options.logFile);
  child.stderr.pipe(log);
  // What the guard writes to a program that is gone is of no interest.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => log.end(() => resolve(lastLines(options.logFile))));
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString().split('\n')[0])));
    void ended.then((text) => reject(new Error(`${program} did not start: ${text}`)));
  });
  // Whatever else the program says on stdout must be taken off its hands.
  child.stdout.pipe(log);
  return {
    pid,
    ended,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

const lastLines = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
