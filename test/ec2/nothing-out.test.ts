/** A fleet that makes nothing although nothing is out: another attempt follows soon, and no offering is passed over for it. */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { listMarks } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { ec2NodeClass } from '../../shared/providers/ec2/node-class/kind.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';
import { joinedWorld, makeClaim, makeClass } from './joined-world.ts';

const open = useWorld();

/** One offering is all that would do: if that one were passed over, the claim would fail. */
const only: Json[] = [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1b'] },
];
const claimOf = (world: TestWorld, name: string, nodeClass = 'default') =>
  makeClaim(world, name, {
    nodeClassRef: { group: ec2NodeClass.group, kind: ec2NodeClass.kind, name: nodeClass },
    requirements: only,
  });

it.each([
  ['RequestLimitExceeded', 'Request limit exceeded.', 'Throttled'],
  ['InternalError', 'An internal error has occurred', 'ProviderUnavailable'],
  ['InvalidLaunchTemplateName.NotFoundException', 'There is no such template.', 'ProviderUnavailable'],
  [
    'InvalidParameterValue',
    'Value (nodes) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
    'NodeClassNotReady',
  ],
])('%s within a fleet is said as what it is, and the next attempt has the machine', async (code, message, reason) => {
  const { world, aws } = await joinedWorld(open);
  await makeClass(world, 'default');
  const count = 3;
  aws.setFaults([{ on: 'create', count, do: { kind: 'operation-fails', code, message } }]);
  await claimOf(world, 'one');
  const said = new Set<string | undefined>();
  for (let look = 0; look < 30 && conditionStatus(await world.claim('one'), 'Ready') !== 'True'; look++) {
    await world.pass(5, 1);
    said.add(conditionOf(await world.claim('one'), 'Launched')?.reason);
  }
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(said).toContain(reason);
  expect(said).not.toContain('InsufficientCapacity');
  expect(await listMarks(world.services)).toEqual([]);
  expect(aws.counts().fleets).toBe(count + 1);
  expect(aws.ledger()).toHaveLength(1);
});

it('a full subnet beside another one of its zone holds up nobody', async () => {
  const { world, aws } = await joinedWorld(open);
  await makeClass(world, 'both', { subnetSelectorTerms: [{ id: 'subnet-0private1' }, { id: 'subnet-0public1' }] });
  await claimOf(world, 'before', 'both');
  await world.pass(30, 5);
  const subnet = aws.account.subnets.get('subnet-0private1')!;
  subnet.used = subnet.size;
  await claimOf(world, 'one', 'both');
  await world.pass(30, 5);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(await listMarks(world.services)).toEqual([]);
});

it('a full subnet is out for the class that has no other in its zone, and for no other class', async () => {
  const { world, aws } = await joinedWorld(open);
  await makeClass(world, 'small', { subnetSelectorTerms: [{ id: 'subnet-0private1' }] });
  await makeClass(world, 'large', { subnetSelectorTerms: [{ id: 'subnet-0public1' }] });
  const subnet = aws.account.subnets.get('subnet-0private1')!;
  subnet.used = subnet.size;
  await claimOf(world, 'one', 'small');
  await world.pass(30, 5);
  const launched = conditionOf(await world.claim('one'), 'Launched');
  expect(launched).toMatchObject({ status: 'False', reason: 'InsufficientCapacity' });
  expect(launched?.message).toContain('the subnet has no free addresses');

  await claimOf(world, 'two', 'large');
  await world.pass(30, 5);
  expect(conditionStatus(await world.claim('two'), 'Ready')).toBe('True');
});

it('a claim that is deleted in the pause before the next attempt goes, and nothing is made for it', async () => {
  const { world, aws } = await joinedWorld(open);
  await makeClass(world, 'default');
  aws.setFaults([
    { on: 'create', do: { kind: 'operation-fails', code: 'RequestLimitExceeded', message: 'Request limit exceeded.' } },
  ]);
  await claimOf(world, 'one');
  await world.pass(30, 5);
  const { fleets } = aws.counts();
  await world.deleteClaim('one');
  await world.pass(200, 10);
  expect(aws.counts().fleets).toBe(fleets);
  expect(await world.claim('one')).toBeUndefined();
  expect(aws.ledger()).toEqual([]);
});
