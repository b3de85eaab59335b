import { expect } from 'vitest';
import { requestsLiveAndDie } from './cloud-clusters.ts';
import { type CloudDriver, claimsLiveAndDie } from './cloud-lifecycle.ts';
import { type DurableHarness, makeDurableHarness } from './durable-harness.ts';

const driver: CloudDriver<DurableHarness> = {
  name: 'Durable Functions',
  make: makeDurableHarness,
  trouble: (harness, beforeActivity, chance) => {
    harness.faults = {
      ...(chance === undefined
        ? {}
        : {
            repeats: () => chance.random() < 0.1,
            completions: () => (chance.random() < 0.1 ? 2 : 1),
            eventDelays: () => (chance.random() < 0.5 ? [0, 0] : [0, 20_000]),
          }),
      async loses(point) {
        if (point === 'before-activity') await beforeActivity();
        const isLost = chance !== undefined && chance.random() < 0.03;
        if (isLost) chance.died();
        return isLost;
      },
    };
  },
  expectShort: ({ hub }) => {
    for (const { id } of hub.store.list('', 100)) expect(hub.store.history(id).length, id).toBeLessThan(100);
  },
};

claimsLiveAndDie(driver);
requestsLiveAndDie(driver);
