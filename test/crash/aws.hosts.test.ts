/** A small run of the crash test on Lambda: the bundles, killed from outside and lost at the worst moments. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

it('the crash test on Lambda ends with nothing leaked, lost, doubled or stuck', { timeout: 1_500_000 }, async () => {
  const args = ['--host', 'aws', '--provider', 'ec2', '--claims', '12', '--kills', '2', '--seed', '3'];
  const { stdout } = await run(process.execPath, [main, ...args]);
  expect(JSON.parse(stdout)).toMatchObject({ host: 'aws', kills: 2, leaked: 0, lost: 0, doubled: 0, stuck: 0 });
});
