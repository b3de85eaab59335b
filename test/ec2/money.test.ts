/** Whatever happens to calls, answers, tags and histories: one machine for one claim, none that nobody pays for, none of others. */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { labels, tags } from '../../shared/nodes/claims/spec/well-known.ts';
import { ec2NodeClass } from '../../shared/providers/ec2/node-class/kind.ts';
import type { Aws, AwsOptions } from '../../sim/aws/start.ts';
import { useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';
import { type Fields, joinedWorld, makeClass } from './joined-world.ts';

const open = useWorld();

interface MoneyWorld {
  world: TestWorld;
  aws: Aws;
  claim(name: string, more?: Fields): Promise<string>;
  living(): string[];
}

async function start(awsOptions: AwsOptions = {}): Promise<MoneyWorld> {
  const { world, aws } = await joinedWorld(open, { awsOptions });
  await makeClass(world, 'default');
  const { group, kind } = ec2NodeClass;
  return {
    world,
    aws,
    claim: async (name, more = {}) => {
      const made = await world.createClaim(name, {
        nodeClassRef: { group, kind, name: 'default' },
        requirements: types('m5.large'),
        ...more,
      });
      return made.metadata.uid;
    },
    living: () =>
      aws
        .ledger()
        .filter(({ goneAt }) => goneAt === null)
        .map(({ id }) => id),
  };
}

const types = (...values: string[]): Json[] => [{ key: labels.instanceType, operator: 'In', values }];
const capacity = (...values: string[]): Json => ({ key: labels.capacityType, operator: 'In', values });

it('spot that is out everywhere is followed by on-demand in the same life, and soon', async () => {
  const { world, aws, claim, living } = await start();
  aws.setFaults([{ on: 'create', offering: { capacityType: 'spot' }, do: { kind: 'sold-out' } }]);
  await claim('one', { requirements: [capacity('spot', 'on-demand')] });
  await world.pass(30, 5);
  const one = await world.claim('one');
  expect(conditionStatus(one, 'Ready')).toBe('True');
  expect(one?.metadata.labels?.[labels.capacityType]).toBe('on-demand');
  expect(living()).toHaveLength(1);
});

it('a machine whose tags somebody took away keeps its claim, which says so, until it has ended', async () => {
  const { world, aws, claim, living } = await start();
  // Two rights: then nobody goes by the record alone.
  aws.setFaults([{ on: 'create', count: 1, do: { kind: 'reset', effect: 'done' } }]);
  await claim('one');
  await world.pass(60, 5);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  const [id = ''] = living();
  delete aws.instance(id)?.tags[tags.deployment];

  await world.deleteClaim('one');
  await world.pass(400);
  expect(living()).toEqual([id]);
  const ending = conditionOf(await world.claim('one'), 'InstanceTerminating');
  expect(ending).toMatchObject({ reason: 'DeleteRefused' });
  expect(ending?.message).toContain(id);

  aws.vanish(id);
  await world.pass(2000, 60);
  expect(await world.claim('one')).toBeUndefined();
});

it('a launch that lost its history and its answer, and sees nothing yet, takes away what it made before it goes on', async () => {
  const { world, aws, claim, living } = await start();
  aws.setFaults([
    { on: 'create', count: 1, do: { kind: 'reset', effect: 'done' } },
    { on: 'list', do: { kind: 'lag', seconds: 25 } },
    { on: 'get', do: { kind: 'lag', seconds: 25 } },
  ]);
  const uid = await claim('one', { requirements: types('m5.large', 'm5.xlarge') });
  const { beforeStep } = world.engine;
  let lost = false;
  world.engine.beforeStep = async (...step) => {
    if (aws.counts().fleets === 1 && !lost) {
      lost = true;
      world.engine.loseHistory(`${clusterName}/${uid}/launch`);
    }
    await beforeStep(...step);
  };
  await world.pass(400, 10);
  expect(aws.counts().mismatchedTokens).toBeGreaterThan(0);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(living()).toHaveLength(1);
  expect(aws.overlaps()).toEqual([]);
});

it('a machine that spot takes back before its answer is recorded is followed by another one', async () => {
  const { world, aws, claim, living } = await start();
  const { beforeStep } = world.engine;
  let taken = false;
  world.engine.beforeStep = async (...step) => {
    const [id] = living();
    if (id !== undefined && !taken) taken = aws.vanish(id);
    await beforeStep(...step);
  };
  await claim('one', { requirements: [...types('m5.large'), capacity('spot')] });
  await world.pass(400, 10);
  expect(taken).toBe(true);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(living()).toHaveLength(1);
  expect(aws.overlaps()).toEqual([]);
});

it('a claim that is deleted while its launch has no answer leaves nothing, also of what is made late', async () => {
  const { world, aws, claim, living } = await start();
  aws.setFaults([{ on: 'create', count: 1, do: { kind: 'reset', effect: 'late', lateSeconds: 50 } }]);
  await claim('one');
  await world.pass(2, 1);
  await world.deleteClaim('one');
  await world.pass(600);
  expect(await world.claim('one')).toBeUndefined();
  expect(aws.ledger()).toHaveLength(1);
  expect(living()).toEqual([]);
});

it('garbage collection ends a second machine of a claim, and nothing that carries another owner', async () => {
  const { world, aws, claim, living } = await start();
  await claim('one');
  await world.pass(30, 5);
  const [id = ''] = living();
  const own = { ...aws.instance(id)?.tags };
  const second = aws.launchForeign('second', own);
  const others = [
    aws.launchForeign('other deployment', { ...own, [tags.deployment]: 'other' }),
    aws.launchForeign('other cluster', { ...own, [tags.cluster]: 'other' }),
    aws.launchForeign('no tags'),
  ];
  for (let round = 0; round < 3; round++) {
    await world.collectGarbage();
    await world.pass(90);
  }
  expect(living().toSorted()).toEqual([id, ...others].toSorted());
  expect(aws.ledger().find((one) => one.id === second)?.goneAt).not.toBeNull();

  await world.deleteClaim('one');
  await world.pass(300);
  expect(await world.claim('one')).toBeUndefined();
  expect(living().toSorted()).toEqual(others.toSorted());
});
