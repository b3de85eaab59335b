/** A small run of the crash test, so that no change lands without one. The large ones: `npm run crash-test`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

export async function expectNoClusterLost(requests: number, kills: number): Promise<void> {
  const options = ['--subject', 'clusters', '--requests', String(requests), '--kills', String(kills), '--seed', '11'];
  const { stdout } = await run(process.execPath, [main, ...options]);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ requests, kills, leaked: 0, lost: 0, doubled: 0, stuck: 0 });
}

export async function expectNoMachineLost(machines: number, kills: number): Promise<void> {
  const options = ['--subject', 'vms', '--machines', String(machines), '--kills', String(kills), '--seed', '11'];
  const { stdout } = await run(process.execPath, [main, ...options]);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ machines, kills, leaked: 0, lost: 0, doubled: 0, stuck: 0 });
}

export async function expectNothingLost(
  provider: string,
  claims: number,
  kills: number,
  atOnce: number,
  idempotency?: string,
): Promise<void> {
  const numbers = { claims, kills, seed: 11, 'at-once': atOnce };
  const options = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const how = idempotency === undefined ? [] : ['--idempotency', idempotency];
  const { stdout } = await run(process.execPath, [main, '--provider', provider, ...options, ...how]);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ claims, kills, leaked: 0, lost: 0, doubled: 0, stuck: 0 });
}
