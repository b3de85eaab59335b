/** A small run of the crash test, so that no change lands without one. The large ones: `npm run crash-test`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

describe('the crash test', () => {
  it.each([
    ['sim', 20, 3, '1'],
    ['aks', 10, 2, '1'],
    ['arc', 10, 2, '4'],
    ['ec2', 15, 2, '1'],
  ] as const)('ends on %s with nothing leaked, lost, doubled or stuck', { timeout: 1_500_000 }, async (...how) => {
    const [provider, claims, kills, atOnce] = how;
    const numbers = ['--claims', String(claims), '--kills', String(kills), '--seed', '11', '--at-once', atOnce];
    const { stdout } = await run(process.execPath, [main, '--provider', provider, ...numbers]);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ claims, kills, leaked: 0, lost: 0, doubled: 0, stuck: 0 });
  });

  it.each([
    { args: ['--provider', 'gce'], problem: '--provider must be one of sim, aks, arc, ec2' },
    { args: ['--at-once', '0'], problem: '--at-once must be a whole number from 1 to 100' },
    {
      args: ['--provider', 'aks', '--idempotency', 'none'],
      problem: '--idempotency is for --provider sim: the others have what their cloud has',
    },
    { args: ['--claims', '0'], problem: '--claims must be a whole number from 1 on' },
    { args: ['--kills', 'many'], problem: '--kills must be a whole number from 0 on' },
    { args: ['--seed', '1.5'], problem: '--seed must be a whole number from 0 on' },
    { args: ['--idempotency', 'hope'], problem: '--idempotency must be one of token, name, claim-name, none' },
  ])('refuses $args with a reason', ({ args, problem }) => {
    expect(readOptions(args)).toEqual({ problem });
  });
});
