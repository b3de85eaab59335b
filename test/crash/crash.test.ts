import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';
import { expectNothingLost } from './small-crash.ts';

describe('the crash test', () => {
  it('ends on sim with nothing leaked, lost, doubled or stuck', { timeout: 1_500_000 }, () =>
    expectNothingLost('sim', 20, 3, 1),
  );

  it.each([
    { args: ['--provider', 'gce'], problem: '--provider must be one of sim, aks, arc, ec2, cloudstack, remote' },
    { args: ['--at-once', '0'], problem: '--at-once must be a whole number from 1 to 100' },
    {
      args: ['--provider', 'aks', '--idempotency', 'none'],
      problem: '--idempotency is for --provider sim, cloudstack and remote: the others have what their cloud has',
    },
    {
      args: ['--provider', 'cloudstack', '--idempotency', 'token'],
      problem: '--idempotency is name (of an administrator) or none on --provider cloudstack',
    },
    {
      args: ['--provider', 'remote', '--idempotency', 'token'],
      problem: '--idempotency is name (as servers of Poolwright have it) or none on --provider remote',
    },
    { args: ['--claims', '0'], problem: '--claims must be a whole number from 1 on' },
    { args: ['--kills', 'many'], problem: '--kills must be a whole number from 0 on' },
    { args: ['--seed', '1.5'], problem: '--seed must be a whole number from 0 on' },
    { args: ['--idempotency', 'hope'], problem: '--idempotency must be one of token, name, claim-name, none' },
  ])('refuses $args with a reason', ({ args, problem }) => {
    expect(readOptions(args)).toEqual({ problem });
  });

  it.each([
    [[], 'token'],
    [['--provider', 'ec2'], 'token'],
    [['--provider', 'cloudstack'], 'none'],
    [['--provider', 'cloudstack', '--idempotency', 'name'], 'name'],
    [['--provider', 'remote'], 'none'],
  ])('with %j has idempotency %s', (args, idempotency) => {
    expect(readOptions(args)).toMatchObject({ idempotency });
  });
});
