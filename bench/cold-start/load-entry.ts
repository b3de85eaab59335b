/**
 * Loads entries on the stand-in for the worker of the platform, and ends. Before that it calls one function of theirs, with `--ready` until
 * the services of the worker are built, which is when the function begins to act: its code is loaded and its configuration read by then.
 * With `--asks` until it turns to the network for the first time. A function that needs neither is through before. Says which it was.
 */
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { installFunctionsCore, startApp } from '../../test/stand-ins/functions-host/core.ts';
import { invoke } from '../../test/stand-ins/functions-host/invoke.ts';

const [until] = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const files = process.argv.slice(2).filter((argument) => argument !== until);
installFunctionsCore();
const app = await startApp(async () => {
  for (const file of files) await import(pathToFileURL(file).href);
});
const [name] = app.functions.keys();
// An entry without functions would be quick for the wrong reason.
if (name === undefined) process.exit(1);
if (until !== undefined) {
  if (until === '--ready') {
    // The line that a worker writes when it has built everything.
    app.logged.push = (...lines) =>
      lines.some(({ message }) => message.includes('"host.started"')) ? end('ready') : 0;
  }
  Socket.prototype.connect = () => end('asked');
  app.inputs.set('durableClient', () => ({ string: process.env.BENCH_DURABLE_CLIENT ?? '{}' }));
  await invoke(app, name, triggerData(name)).catch((error: unknown) => end('failed', String(error)));
  end('answered');
}
// Whatever was left running must not count.
process.exit(0);

function triggerData(called: string): Parameters<typeof invoke>[2] {
  const types = Object.values(app.functions.get(called)?.bindings ?? {}).map(({ type }) => type);
  if (types.includes('httpTrigger')) return { http: { method: 'GET', url: 'http://localhost/healthz' } };
  if (types.includes('serviceBusTrigger')) return { string: process.env.BENCH_EVENT ?? '{}' };
  return { json: '{}' };
}

function end(how: 'ready' | 'asked' | 'answered' | 'failed', why = ''): never {
  process.stdout.write(`${how} ${why}\n`);
  process.exit(0);
}
