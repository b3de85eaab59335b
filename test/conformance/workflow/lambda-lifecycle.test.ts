import { expect } from 'vitest';
import { requestsLiveAndDie } from './cloud-clusters.ts';
import { type CloudDriver, claimsLiveAndDie } from './cloud-lifecycle.ts';
import { type LambdaHarness, makeLambdaHarness } from './lambda-harness.ts';

const driver: CloudDriver<LambdaHarness> = {
  name: 'Lambda durable functions',
  make: makeLambdaHarness,
  trouble: (harness, beforeActivity, chance) => {
    const dies = (): boolean => {
      const isLost = chance !== undefined && chance.random() < 0.02;
      if (isLost) chance.died();
      return isLost;
    };
    harness.faults = {
      ...(chance === undefined
        ? {}
        : {
            loses: dies,
            repeatsActivity: () => chance.random() < 0.1,
            doubles: () => chance.random() < 0.1,
          }),
      async losesActivity(when) {
        if (when === 'before') await beforeActivity();
        return dies();
      },
    };
  },
  expectShort: ({ lambda }) => {
    const { store } = lambda.service.executions;
    for (const { arn, status } of store.list('workflows')) {
      expect(status).toBe('SUCCEEDED');
      expect(store.operations(arn).length, arn).toBeLessThan(40);
    }
  },
};

claimsLiveAndDie(driver);
requestsLiveAndDie(driver);
