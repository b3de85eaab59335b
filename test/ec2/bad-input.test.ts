/** What may be wrong with a class of EC2: the class says it, the claim says it, nothing is bought, and others go on. */
import { expect, it } from 'vitest';
import { nodeClasses } from '../../functions/reconcilers/node-classes.ts';
import type { AwsOptions } from '../../sim/aws/start.ts';
import { nodeClassSpec } from '../conformance/providers/ec2-harness.ts';
import { value } from '../conformance/providers/requests.ts';
import { useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionOf, conditionStatus } from '../nodes/world.ts';
import { type Fields, joinedWorld, makeClaim, makeClass, readyOf, resource } from './joined-world.ts';
import { signal } from './world.ts';

const open = useWorld();
const openWorld = (awsOptions?: AwsOptions) => joinedWorld(open, { awsOptions });

interface Case {
  /** What is wrong with the class. */
  spec?: Fields;
  /** What is wrong with the claim. */
  claim?: Fields;
  aws?: AwsOptions;
  /** Of the class; absent: the class is fine. */
  reason?: string;
  says: readonly string[];
}

const { role: _, ...withoutRole } = nodeClassSpec;

const cases: Record<string, Case> = {
  'no subnet matches': {
    spec: { subnetSelectorTerms: [{ tags: { team: 'nobody' } }] },
    reason: 'SubnetsNotFound',
    says: ['spec.subnetSelectorTerms[0] (tags team=nobody)'],
  },
  'the image does not exist': {
    spec: { amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-0gone' }] },
    reason: 'AMINotFound',
    says: ['spec.amiSelectorTerms[0] (id ami-0gone)'],
  },
  'no instance profile': {
    spec: { ...withoutRole, role: null, instanceProfile: 'nobody' },
    reason: 'InstanceProfileNotFound',
    says: ['there is no instance profile nobody (spec.instanceProfile)'],
  },
  'user data too large': {
    spec: { userData: 'x'.repeat(20_000) },
    reason: 'UserDataInvalid',
    says: ['spec.userData', 'EC2 allows at most 16384'],
  },
  'a class that may not be looked at': {
    aws: { denied: ['ec2:DescribeSubnets'] },
    says: ['ec2:DescribeSubnets'],
  },
  'a type that the zone does not have': {
    claim: {
      requirements: [
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1q'] },
      ],
    },
    says: ['us-east-1q'],
  },
};

it.each(Object.entries(cases))('%s: class and claim say so, and others go on', async (_name, wrong) => {
  const { world, aws } = await openWorld(wrong.aws);
  await makeClass(world, 'bad', wrong.spec);
  await makeClaim(world, 'bad', wrong.claim);
  // The simulated cloud serves this one.
  await world.createClaim('well');
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(60, 10);

  const ready = await readyOf(world, 'bad');
  if (wrong.reason !== undefined) expect(ready).toMatchObject({ status: 'False', reason: wrong.reason });
  const launched = conditionOf(await world.claim('bad'), 'Launched');
  expect(launched?.status).not.toBe('True');
  for (const part of wrong.says) {
    if (wrong.reason !== undefined) expect(ready?.message).toContain(part);
    expect(launched?.message).toContain(part);
  }
  expect(aws.ledger()).toEqual([]);
  expect(conditionStatus(await world.claim('well'), 'Ready')).toBe('True');
});

it('a class that is mended makes its claims go on, and a machine of it becomes a node', async () => {
  const { world, aws } = await openWorld();
  await makeClass(world, 'bad', { subnetSelectorTerms: [{ id: 'subnet-0gone' }] });
  await makeClaim(world, 'bad');
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(60, 10);
  expect(conditionOf(await world.claim('bad'), 'Launched')).toMatchObject({ reason: 'NodeClassNotReady' });

  const mended = { spec: { subnetSelectorTerms: nodeClassSpec.subnetSelectorTerms } };
  value(await world.api.mergePatch(resource, { name: 'bad' }, mended));
  world.clock.advance(61_000);
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(300, 10);

  expect(await readyOf(world, 'bad')).toMatchObject({ status: 'True' });
  const claim = await world.claim('bad');
  expect(conditionOf(claim, 'Ready')).toMatchObject({ status: 'True' });
  expect(claim?.status).toMatchObject({
    imageID: expect.stringMatching(/^ami-/),
    capacity: { pods: expect.any(String) },
  });
  expect(aws.ledger()).toHaveLength(1);

  await world.deleteClaim('bad');
  await world.pass(200, 10);
  expect(aws.living).toBe(0);
});

it('a machine that may not be looked at: its claim says which right is missing, and goes on when it is there', async () => {
  const denied = ['ec2:DescribeInstances'];
  const { world, aws } = await openWorld({ denied });
  await makeClass(world, 'one');
  await makeClaim(world, 'one');
  await world.pass(60, 5);
  const launched = conditionOf(await world.claim('one'), 'Launched');
  expect(launched).toMatchObject({ status: 'Unknown', reason: 'Unauthorized' });
  expect(launched?.message).toContain('lacks the permission ec2:DescribeInstances');
  expect(aws.living).toBe(1);

  denied.length = 0;
  await world.pass(120, 5);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(aws.ledger()).toHaveLength(1);
});
