/** What EC2 sells, what a plan promises of it, and what the claim says that it costs: all of one mind. */
import { expect, it } from 'vitest';
import { annotations, labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { planObject } from '../../shared/nodes/plan/plan.ts';
import { ec2NodeClass } from '../../shared/providers/ec2/node-class/kind.ts';
import { nodeClassSpec } from '../conformance/providers/ec2-harness.ts';
import { value } from '../conformance/providers/requests.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionStatus, type TestWorld } from '../nodes/world.ts';
import { joinedWorld, makeClass } from './joined-world.ts';

const open = useWorld();
const { group, version, kind } = ec2NodeClass;
const nodeClassRef = { group, kind, name: 'default' };
const requirements = [
  { key: labels.capacityType, operator: 'In', values: ['spot', 'on-demand'] },
  { key: labels.instanceType, operator: 'In', values: ['m5.large', 'm5.xlarge'] },
];

const plan = async ({ services, clusterServices }: TestWorld, nodeClasses: object[] = []) => {
  const spec = { nodeClassRef, requirements, resources: { requests: { cpu: '1' } } };
  const object = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'planned' }, spec };
  return value(await planObject(services, clusterServices, { object, nodeClasses }, AbortSignal.timeout(30_000)));
};

it('the claim gets what was planned, at the price that was told', async () => {
  const { world, aws } = await joinedWorld(open);
  await makeClass(world, 'default');
  const { outcome, chosen, alternatives = 0 } = await plan(world);
  expect(outcome).toBe('launch');
  expect(alternatives).toBeGreaterThan(0);
  expect(aws.ledger()).toEqual([]);

  await world.createClaim('one', { nodeClassRef, requirements });
  await world.pass(60, 5);
  const one = await world.claim('one');
  expect(conditionStatus(one, 'Ready')).toBe('True');
  const got = one?.metadata.labels ?? {};
  expect(chosen).toEqual({
    instanceType: got[labels.instanceType],
    zone: got[labels.zone],
    capacityType: got[labels.capacityType],
    pricePerHour: Number(one?.metadata.annotations?.[annotations.pricePerHour]),
  });
});

it('the price is that of the machine which the fleet gave, not of the one that was asked for first', async () => {
  const { world, aws } = await joinedWorld(open);
  await makeClass(world, 'default');
  const { chosen } = await plan(world);
  aws.setFaults([{ on: 'create', offering: { instanceType: 'm5.large' }, do: { kind: 'sold-out' } }]);
  await world.createClaim('one', { nodeClassRef, requirements });
  await world.pass(60, 5);
  const one = await world.claim('one');
  expect(one?.metadata.labels?.[labels.instanceType]).toBe('m5.xlarge');
  const price = Number(one?.metadata.annotations?.[annotations.pricePerHour]);
  expect(price).toBeGreaterThan(chosen?.pricePerHour ?? 0);
});

it('a class that comes with the question is resolved at the cloud, and what it lacks is told', async () => {
  const { world } = await joinedWorld(open);
  const brought = (spec: object) => [{ apiVersion: `${group}/${version}`, kind, metadata: { name: 'default' }, spec }];
  expect(await plan(world)).toMatchObject({ outcome: 'wait', code: 'NodeClassNotFound' });
  expect(await plan(world, brought(nodeClassSpec))).toMatchObject({ outcome: 'launch', provider: 'ec2' });
  const nowhere = { ...nodeClassSpec, subnetSelectorTerms: [{ id: 'subnet-0123456789abcdef0' }] };
  expect(await plan(world, brought(nowhere))).toMatchObject({ outcome: 'wait', code: 'NodeClassNotReady' });
});
