/** Requests for clusters on the driver of a cloud: from a request to a cluster and to nothing left, while processes keep dying. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../shared/base/runtime.ts';
import { requestActivities } from '../../../shared/clusters/bound-activities.ts';
import { deleteCluster } from '../../../shared/clusters/workflow/delete.ts';
import { provisionCluster } from '../../../shared/clusters/workflow/provision.ts';
import type { Workflow } from '../../../shared/workflow/vocabulary.ts';
import { doubled } from '../../../sim/aso/azure/ledger.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { type RequestWorld, requestWorld } from '../../clusters/request-world.ts';
import type { CloudHarness } from './cloud-harness.ts';
import type { CloudDriver } from './cloud-lifecycle.ts';

const mostRounds = 200;

export function requestsLiveAndDie<H extends CloudHarness>(driver: CloudDriver<H>): void {
  let world: RequestWorld;
  let harness: H;

  async function open(chance?: { random: Random; died(): void }): Promise<void> {
    world = await requestWorld();
    const { services, clock } = world;
    harness = await driver.make({
      // Each has an input of its own, which engines only carry.
      workflows: [provisionCluster as unknown as Workflow, deleteCluster as unknown as Workflow],
      activities: requestActivities(services),
      clock,
      state: services.state,
    });
    Object.defineProperty(services, 'workflows', { get: () => harness.client });
    driver.trouble(harness, () => world.others(), chance);
  }

  async function passUntil(isSo: () => Promise<boolean>): Promise<void> {
    for (let round = 0; round < mostRounds; round++) {
      await world.round();
      await harness.runFor(20);
      if (await isSo()) return;
    }
    throw new Error(`no end in sight: ${JSON.stringify((await world.get())?.status)}`);
  }

  async function liveAndDie(names: readonly string[]): Promise<void> {
    for (const name of names) await world.create({ nodes: 'agentPools' }, name);
    await passUntil(async () =>
      (await Promise.all(names.map((name) => world.ready(name)))).every((one) => one === 'True Ready'),
    );
    for (const name of names) await world.delete(name);
    await passUntil(async () =>
      (await Promise.all(names.map((name) => world.get(name)))).every((one) => one === undefined),
    );
    const { azure } = world.aso.aso;
    expect(azure.living()).toEqual([]);
    expect(doubled(azure.ledger())).toEqual([]);
    expect(mustBe(await world.place.driver.find())).toEqual([]);
  }

  describe(`requests for clusters on ${driver.name}`, () => {
    afterEach(async () => {
      await harness.close();
      await world.close();
    });

    it('become clusters, and nothing when they are deleted', async () => {
      await open();
      await liveAndDie(['web']);
    });

    it('do so while processes are lost around every write and effect, steps repeat and messages double', async () => {
      let lost = 0;
      await open({ random: seededRandom(11), died: () => void lost++ });
      await liveAndDie(['one', 'two', 'three']);
      expect(lost).toBeGreaterThan(2);
    });
  });
}
