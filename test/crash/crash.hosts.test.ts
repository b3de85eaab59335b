import { it } from 'vitest';
import { expectNoClusterLost, expectNoMachineLost, expectNothingLost } from './small-crash.ts';

it.each([
  { provider: 'aks', claims: 10, kills: 2, atOnce: 1 },
  { provider: 'arc', claims: 10, kills: 2, atOnce: 4 },
  { provider: 'ec2', claims: 15, kills: 2, atOnce: 1 },
  // Of both ways the harder one; the other has the cases of the contract, and the large run.
  { provider: 'cloudstack', claims: 6, kills: 1, atOnce: 1, idempotency: 'none' },
  { provider: 'remote', claims: 15, kills: 3, atOnce: 1, idempotency: 'none' },
])(
  'the crash test ends on $provider $idempotency with nothing leaked, lost, doubled or stuck',
  { timeout: 1_500_000 },
  ({ provider, claims, kills, atOnce, idempotency }) => expectNothingLost(provider, claims, kills, atOnce, idempotency),
);

it('the crash test of cluster requests ends with nothing leaked, lost, doubled or stuck', { timeout: 1_500_000 }, () =>
  expectNoClusterLost(8, 3),
);

it('the crash test of virtual machines ends with nothing leaked, lost, doubled or stuck', { timeout: 1_500_000 }, () =>
  expectNoMachineLost(20, 4),
);
