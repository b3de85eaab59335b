/**
 * Durable operations that one claim's life takes on Lambda, from its creation until it is gone, when nothing fails: entries of
 * the histories of its workflows, counted in the stand-in for the service. Each is paid for, and an execution may have 3,000.
 */
import { lifecycleActivities } from '../../shared/nodes/activities.ts';
import { launch } from '../../shared/nodes/launch/launch.ts';
import { terminate } from '../../shared/nodes/terminate/terminate.ts';
import { makeLambdaHarness } from '../../test/conformance/workflow/lambda-harness.ts';
import { conditionStatus, testWorld } from '../../test/nodes/world.ts';
import type { Figure } from '../figure.ts';

const claims = 5;

export const durableOperations: Figure = {
  name: "durable operations in a claim's life on Lambda",
  unit: '',
  limit: 40,
  allowed: 'at most',
  measure: async ({ say }) => {
    const world = await testWorld();
    const { services, clock } = world;
    const harness = await makeLambdaHarness({
      workflows: [launch, terminate],
      activities: lifecycleActivities(services),
      clock,
      state: services.state,
    });
    Object.defineProperty(services, 'workflows', { get: () => harness.client });
    // Machines boot and nodes join before anybody looks.
    harness.faults.losesActivity = async () => {
      await world.cloud.settle();
      return false;
    };
    const passUntil = async (isSo: () => Promise<boolean>): Promise<void> => {
      for (let round = 0; round < 100 && !(await isSo()); round++) {
        await world.resync();
        await harness.runFor(20);
        await world.cloud.settle();
      }
      if (!(await isSo())) throw new Error('the claims do not come to their end');
    };
    try {
      const names = Array.from({ length: claims }, (_, n) => `claim-${n}`);
      for (const name of names) await world.createClaim(name);
      await passUntil(async () =>
        (await world.claims()).every((claim) => conditionStatus(claim, 'Initialized') === 'True'),
      );
      for (const name of names) await world.deleteClaim(name);
      await passUntil(async () => (await world.claims()).length === 0);
      return counted(harness.lambda.service.executions.store, say);
    } finally {
      await harness.close();
      await world.close();
    }
  },
};

type Store = Awaited<ReturnType<typeof makeLambdaHarness>>['lambda']['service']['executions']['store'];

function counted(store: Store, say: (text: string) => void): number {
  const executions = store.list('workflows');
  const operations = executions.flatMap(({ arn }) => store.operations(arn)).filter(({ type }) => type !== 'EXECUTION');
  const again = operations.reduce((sum, { attempt = 1 }) => sum + attempt - 1, 0);
  const invocations = executions.reduce((sum, one) => sum + one.invocations, 0);
  const per = (count: number): string => (count / claims).toFixed(1);
  say(
    `per claim: ${per(executions.length)} executions, ${per(invocations)} invocations, ${per(again)} further rounds of polls and retries`,
  );
  return operations.length / claims;
}
