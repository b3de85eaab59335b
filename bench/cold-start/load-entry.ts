/**
 * Loads entries on the stand-in for the worker of the platform, and ends. With `--call` it calls one function of theirs first, which
 * finds no app settings and fails; by then it has loaded its code and read its configuration.
 */
import { pathToFileURL } from 'node:url';
import { installFunctionsCore, startApp } from '../../sim/functions-host/core.ts';
import { invoke } from '../../sim/functions-host/invoke.ts';

const files = process.argv.slice(2).filter((argument) => argument !== '--call');
installFunctionsCore();
const app = await startApp(async () => {
  for (const file of files) await import(pathToFileURL(file).href);
});
const [name] = app.functions.keys();
// An entry without functions would be quick for the wrong reason.
if (name === undefined) process.exit(1);
if (process.argv.includes('--call')) {
  app.inputs.set('durableClient', () => ({ string: '{}' }));
  const isHttp = Object.values(app.functions.get(name)?.bindings ?? {}).some(({ type }) => type === 'httpTrigger');
  const data = isHttp ? { http: { method: 'GET', url: 'http://localhost/healthz' } } : { json: '{}' };
  await invoke(app, name, data).catch(() => undefined);
}
// Whatever was left running must not count.
process.exit(0);
