/** Runs the Go tool, for what can't be had ready-made. */
import { spawn } from 'node:child_process';

/** A program that tests need can't be had here. The message says what is missing and how to get it. */
export class PartUnavailable extends Error {
  override name = 'PartUnavailable';
}

/** @param otherwise What the reader can do instead, for the message. @returns What Go printed. */
export async function runGo(args: string[], directory: string, otherwise: string): Promise<string> {
  const child = spawn('go', args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CGO_ENABLED: '0',
      // The versions are those of go.sum; a build that would need others fails instead of taking them.
      GOFLAGS: '-mod=readonly -buildvcs=false',
      GOWORK: 'off',
    },
  });
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // Of a long complaint the end matters.
    complaints = (complaints + text).slice(-4000);
  });
  const problem = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) =>
      resolve(
        'code' in error && error.code === 'ENOENT' ? 'Go is not on PATH (1.26 or newer is needed).' : error.message,
      ),
    );
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `It ended with ${signal ?? code}:\n${complaints}`),
    );
  });
  if (problem === undefined) return output;
  throw new PartUnavailable(
    `go ${args[0]} in ${directory} did not work. ${problem}\nInstall Go and let it reach a module proxy (GOPROXY). ${otherwise}`.trimEnd(),
  );
}
