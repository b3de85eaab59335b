/** What a host still holds after a cluster has tried to fill its memory: measured in a process of its own, after the garbage is gone. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { type Harm, startHostile } from './hostile-server.ts';
import type { Held } from './victim.ts';

const victim = fileURLToPath(new URL('./victim.ts', import.meta.url));
const mebibyte = 1024 * 1024;
/** More than a process wavers by, and far less than any of these leaves behind where nothing stops it. */
const mostHeld = 8 * mebibyte;
/** The buffers of two sockets come on top of what is read. */
const mostSent = 32 * mebibyte;

it.each<[Harm, RegExp]>([
  ['endless list', /more than 120,000 objects, and was given up/],
  ['endless empty pages', /more than 5,000 pages, and was given up/],
  ['large pages', /longer than 16777216 bytes/],
  ['long names', /not a Kubernetes response about nodes/],
  ['gzip bomb', /the answer is compressed \(gzip\)/],
  ['endless error', /HTTP 500 a{100,200}…/],
  ['large error', /HTTP 500 e{100,200}…/],
  ['endless line', /a line is longer than 8388608 bytes/],
  ['endless events in lines', /the watch brought more than 120,000 nodes, and was given up/],
  ['long lines', /The watch sent an invalid event: l{100,120}…/],
])('%s: is given up, and nothing of it stays', async (harm, says) => {
  const server = await startHostile(harm);
  onTestFinished(() => server.close());
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', victim, server.url, '2']);
  const { before, after, said } = JSON.parse(stdout) as Held;
  expect(after - before).toBeLessThan(mostHeld);
  expect(said.join('')).toMatch(says);
  if (['gzip bomb', 'endless error', 'endless line'].includes(harm))
    expect(Math.max(...server.sent)).toBeLessThan(mostSent);
});
