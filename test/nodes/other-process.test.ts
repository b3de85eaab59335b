/** Where the steps of one launch run in several processes, what one hands over to the next may never be taken. */
import { expect, it } from 'vitest';
import { lifecycleActivities } from '../../shared/nodes/activities.ts';
import { useWorld } from './use-world.ts';
import { clusterName } from './world.ts';

const open = useWorld();

it('chooses by what the claim says now when the step that buys ran elsewhere', async () => {
  const world = await open();
  const { metadata } = await world.createClaim('one');
  const ref = { cluster: clusterName, name: 'one', uid: metadata.uid };
  const { choose } = lifecycleActivities(world.services);
  const context = { workflowId: 'w/1', activity: 'choose', execution: 1, signal: AbortSignal.timeout(60_000) };
  for (let round = 0; round < 3; round++) expect(await choose?.({ ref }, context)).toMatchObject({ do: 'begin' });
  // Past this process, as everything that the others do.
  await world.deleteClaim('one');
  expect(await choose?.({ ref }, context)).toEqual({ do: 'end', why: 'the claim is gone' });
});
