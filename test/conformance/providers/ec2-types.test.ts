/** What is special to the instance types of EC2: a thousand of them, so the list is made once. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ec2Harness, startEc2Harness } from './ec2-harness.ts';
import { patience, value } from './requests.ts';

let world: Ec2Harness;
beforeEach(async () => {
  world = await startEc2Harness();
});
afterEach(() => world.close());

test('the very same list comes again while nothing has changed', async () => {
  const ask = async () => value(await world.provider.instanceTypes(world.nodeClass, patience()));
  const first = await ask();
  expect(first.length).toBeGreaterThan(0);
  expect(await ask()).toBe(first);
});
