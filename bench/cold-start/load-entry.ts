/** Loads one entry on the stand-in for the worker of the platform, and ends. */
import { pathToFileURL } from 'node:url';
import { installFunctionsCore, startApp } from '../../sim/functions-host/core.ts';

const entry = process.argv[2] ?? '';
installFunctionsCore();
const app = await startApp(async () => {
  await import(pathToFileURL(entry).href);
});
// Whatever an entry has left running must not count, and an entry without functions would be quick for the wrong reason.
process.exit(app.functions.size > 0 ? 0 : 1);
