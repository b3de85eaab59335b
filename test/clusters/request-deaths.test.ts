/**
 * A request for a cluster is deleted at every single step, and its process dies around every single step: nothing is leaked, lost or there
 * twice. Histories and the state may be lost at any time, too.
 */
import { expect, it } from 'vitest';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import { workflowKey } from '../../shared/clusters/steps/workflow-key.ts';
import { doubled } from '../../sim/aso/azure/ledger.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type RequestWorld, requestWorld } from './request-world.ts';

const spec: Partial<ClusterRequestSpec> = {
  nodes: 'poolwright',
  gitOps: { url: 'https://example.com/fleet', public: true },
  identity: { federatedCredentials: [{ name: 'one', serviceAccount: 'a/b' }] },
};
/** More than one life takes; a test fails if it takes more. */
const mostSteps = 60;

async function inWorld(use: (world: RequestWorld) => Promise<void>): Promise<void> {
  const world = await requestWorld();
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

/** Of one life from nothing to Ready, without trouble. */
async function stepsOfALife(): Promise<number> {
  let steps = 0;
  await inWorld(async (world) => {
    await world.create(spec);
    await world.until(async () => (await world.ready()) === 'True Ready');
    steps = world.engine.executions;
  });
  return steps;
}

async function expectNothingLeft(world: RequestWorld): Promise<void> {
  await world.until(async () => (await world.get()) === undefined);
  expect(world.aso.aso.azure.living().map(({ id }) => id)).toEqual([]);
  expect(mustBe(await world.place.driver.find())).toEqual([]);
  expect(mustBe(await world.services.register.list())).toEqual([]);
  expect(doubled(world.aso.aso.azure.ledger())).toEqual([]);
}

async function expectOneCluster(world: RequestWorld): Promise<void> {
  await world.until(async () => (await world.ready()) === 'True Ready', 14_400);
  const { azure } = world.aso.aso;
  expect(doubled(azure.ledger())).toEqual([]);
  expect(azure.ledger().filter(({ type }) => type === 'Microsoft.ContainerService/managedClusters')).toHaveLength(1);
}

it('leaves nothing when the request is deleted at any step', async () => {
  const steps = await stepsOfALife();
  expect(steps).toBeLessThan(mostSteps);
  for (let at = 0; at < steps; at++) {
    await inWorld(async (world) => {
      await world.create(spec);
      const before = world.engine.beforeStep;
      world.engine.beforeStep = async (...args) => {
        if (world.engine.executions === at && (await world.get())?.metadata.deletionTimestamp === undefined) {
          await world.delete();
        }
        await before(...args);
      };
      await world.pass(60, 20);
      await expectNothingLeft(world);
    });
  }
});

it.each(['before', 'after'] as const)('makes one cluster when the process dies %s any step', async (when) => {
  const steps = await stepsOfALife();
  for (let at = 0; at < steps; at++) {
    await inWorld(async (world) => {
      world.engine.crashAt(at, when);
      await world.create(spec);
      await expectOneCluster(world);
    });
  }
});

it.each(['before', 'after'] as const)(
  'leaves nothing when the process dies %s any step of a deletion',
  async (when) => {
    await inWorld(async (first) => {
      await first.create(spec);
      await first.until(async () => (await first.ready()) === 'True Ready');
      const before = first.engine.executions;
      await first.delete();
      await expectNothingLeft(first);
      const steps = first.engine.executions - before;
      for (let at = 0; at < steps; at++) {
        await inWorld(async (world) => {
          await world.create(spec);
          await world.until(async () => (await world.ready()) === 'True Ready');
          world.engine.crashAt(world.engine.executions + at, when);
          await world.delete();
          await expectNothingLeft(world);
        });
      }
    });
  },
);

it('makes one cluster when history and state are lost at any step', async () => {
  const steps = await stepsOfALife();
  for (let at = 0; at < steps; at++) {
    await inWorld(async (world) => {
      const ref = await world.create(spec);
      const before = world.engine.beforeStep;
      let lost = false;
      world.engine.beforeStep = async (...args) => {
        if (world.engine.executions === at && !lost) {
          lost = true;
          world.loseState();
          world.engine.loseHistory(workflowKey(ref, 'provision-cluster'));
        }
        await before(...args);
      };
      await expectOneCluster(world);
    });
  }
});
