/** Without `serveEc2NodeClasses` these classes and their claims are Karpenter's: nothing of them is touched. */
import { expect, it } from 'vitest';
import { nodeClasses } from '../../functions/reconcilers/node-classes.ts';
import type { KubeObject } from '../../shared/kube/contract.ts';
import { value } from '../conformance/providers/requests.ts';
import { useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionStatus } from '../nodes/world.ts';
import { joinedWorld, makeClaim, makeClass, resource } from './joined-world.ts';
import { signal } from './world.ts';

const open = useWorld();

it.each([
  ['left alone where the classes are not served', false],
  ['served where they are', true],
])('are %s', async (_, serve) => {
  const { world, aws } = await joinedWorld(open, { serve });
  await makeClass(world, 'theirs');
  await makeClaim(world, 'theirs');
  await world.createClaim('ours');
  const classNow = async () => value(await world.api.get<KubeObject>(resource, { name: 'theirs' }));
  const before = { nodeClass: await classNow(), claim: await world.claim('theirs') };

  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(300, 10);

  const after = { nodeClass: await classNow(), claim: await world.claim('theirs') };
  // To the byte: no status, no finalizer, no annotation, not even a write that changes nothing.
  if (serve) expect(after.claim).not.toEqual(before.claim);
  else expect(after).toEqual(before);
  expect(aws.ledger()).toHaveLength(serve ? 1 : 0);
  expect(conditionStatus(await world.claim('ours'), 'Ready')).toBe('True');

  await world.deleteClaim('theirs');
  await world.pass(200, 10);
  expect(await world.claim('theirs'), 'no finalizer of ours holds it').toBeUndefined();
  expect(aws.living).toBe(0);
});
