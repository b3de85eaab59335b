/** A small run of the crash test on Azure Functions: the package, killed from outside and by itself at the worst moments. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readOptions } from './options.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

it('the crash test on Azure Functions ends with nothing leaked, lost, doubled or stuck', {
  timeout: 1_500_000,
}, async () => {
  const args = ['--host', 'azure', '--claims', '12', '--kills', '2', '--seed', '3'];
  const { stdout } = await run(process.execPath, [main, ...args]);
  expect(JSON.parse(stdout)).toMatchObject({ host: 'azure', kills: 2, leaked: 0, lost: 0, doubled: 0, stuck: 0 });
});

it('refuses a host that it does not know', () => {
  expect(readOptions(['--host', 'lambda'])).toEqual({ problem: '--host must be one of local, azure, aws' });
});
