/**
 * A process with the app for Azure in it, on the stand-in for its host.
 *
 *   node test/hosts/azure/host-process.ts --hub <file> [--package <folder>] [--http-port <port>] [--no-timers] [--faults <seed>]
 *
 * The app settings come from the environment, as on the platform: POOLWRIGHT_CONFIG, ServiceBus, State (connection strings). Without
 * a package the sources are run. When it is up it says so with a line of JSON: {"up":"http://127.0.0.1:…"}.
 */
import { parseArgs } from 'node:util';
import { seededFaults } from '../../crash/azure-faults.ts';
import { installFunctionsCore } from '../../stand-ins/functions-host/core.ts';
import { loadApp } from '../../stand-ins/functions-host/load.ts';
import { startFunctionsHost } from './functions-host.ts';
import { loadSources } from './sources.ts';

const { values } = parseArgs({
  options: {
    hub: { type: 'string' },
    package: { type: 'string' },
    'http-port': { type: 'string', default: '0' },
    'no-timers': { type: 'boolean', default: false },
    faults: { type: 'string' },
  },
});
if (values.hub === undefined) throw new Error('--hub <file> is missing: where the task hub is kept');

installFunctionsCore();
const app = values.package === undefined ? await loadSources() : await loadApp(values.package);
for (const { file, error } of app.failures) console.error(`${file} can't be loaded:`, error);
const log = app.logged.push.bind(app.logged);
// What the platform would show in Application Insights.
app.logged.push = (...lines) => {
  for (const { message } of lines) process.stdout.write(`${message}\n`);
  return log(...lines);
};

const host = await startFunctionsHost({
  app,
  hubFile: values.hub,
  serviceBus: process.env.ServiceBus ?? '',
  timers: !values['no-timers'],
  ...(values.faults === undefined ? {} : { faults: seededFaults(Number(values.faults)) }),
  port: Number(values['http-port']),
});
process.stdout.write(`${JSON.stringify({ up: host.url })}\n`);
process.on('SIGTERM', () => {
  void host.stop().then(() => process.exit(0));
});
