/** The stages in which a claim may be when the default kind of agent pools changes. */
import { conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';
import { type AzureTestWorld, recordOf } from './azure-world.ts';

/** Lets time pass by halves of a second until it is so. */
async function until(world: TestWorld, isSo: () => Promise<boolean>, seconds = 300): Promise<void> {
  const end = world.clock.now() + seconds * 1000;
  await world.resync();
  while (!(await isSo())) {
    if (world.clock.now() > end) throw new Error('it never came to that');
    await world.pass(0.5, 0.5);
  }
}

/** Brings the claim `moving` to a stage, on the default of before. */
type Stage = (world: AzureTestWorld) => Promise<void>;

export const movingClaim = (world: AzureTestWorld) => world.claim('moving');
export const isTrue = async (world: AzureTestWorld, type: string) =>
  conditionStatus(await movingClaim(world), type) === 'True';
const ready: Stage = (world) => until(world, () => isTrue(world, 'Ready'));

export const stages: Record<string, Stage> = {
  'is not looked at yet': async () => {},
  'waits for its turn': (world) =>
    until(world, async () => conditionOf(await movingClaim(world), 'Launched')?.reason === 'WaitingForTurn'),
  'is being created': (world) => until(world, async () => world.poolsOf('moving').length > 0),
  'is launched': (world) => until(world, () => isTrue(world, 'Launched')),
  'is registered': (world) => until(world, () => isTrue(world, 'Registered')),
  'is Ready': ready,
  'has failed': async (world) => {
    world.azure.setFaults([{ on: 'create', do: { kind: 'unauthorised' } }]);
    await until(world, async () => recordOf(await movingClaim(world)).state === 'failed');
    world.azure.setFaults([]);
  },
  'is being deleted': async (world) => {
    await ready(world);
    await world.deleteClaim('moving');
    await until(world, async () => conditionStatus(await movingClaim(world), 'InstanceTerminating') === 'True');
  },
};
