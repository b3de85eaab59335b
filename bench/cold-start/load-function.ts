/**
 * Loads the bundle of a function for Lambda as the platform does, and ends. With `--ready` it calls it first, until the services of the
 * environment are built, which is when the function begins to act: its code is loaded and its configuration read by then. With `--asks`
 * until it turns to the network for the first time. A function that needs neither is through before. Says which it was.
 */
import fs from 'node:fs';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';

const [until] = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const [file = ''] = process.argv.slice(2).filter((argument) => argument !== until);
const { handler } = (await import(pathToFileURL(file).href)) as { handler?: unknown };
// A bundle without a handler would be quick for the wrong reason.
if (typeof handler !== 'function') process.exit(1);
if (until !== undefined) {
  if (until === '--ready') {
    // The line that an environment writes when it has built everything; the log writes by this very function.
    fs.writeSync = (_: number, text: unknown) => (String(text).includes('"host.started"') ? end('ready') : 1);
  }
  Socket.prototype.connect = () => end('asked');
  const context = { getRemainingTimeInMillis: () => 60_000 };
  await Promise.resolve(handler(JSON.parse(process.env.BENCH_EVENT ?? '{}'), context)).catch((error: unknown) =>
    end('failed', String(error)),
  );
  end('answered');
}
// Whatever was left running must not count.
process.exit(0);

function end(how: 'ready' | 'asked' | 'answered' | 'failed', why = ''): never {
  process.stdout.write(`${how} ${why}\n`);
  process.exit(0);
}
