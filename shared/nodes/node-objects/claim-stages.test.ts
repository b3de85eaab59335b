import { expect, it } from 'vitest';
import type { StoredClaim } from '../steps/claim-access.ts';
import { decideStages } from './claim-stages.ts';
import type { StoredNode } from './node-stages.ts';

it('says what a claim waits for, also over a condition that has no message', () => {
  const conditions = [{ type: 'Initialized', status: 'Unknown', reason: 'NodeNotReady', lastTransitionTime: '' }];
  const waitingFor = { reason: 'NodeNotReady', message: 'the node is not ready' } as const;
  const { changes } = decideStages({ status: { conditions } } as StoredClaim, {
    found: 'node',
    node: {} as StoredNode,
    waitingFor,
  });
  expect(changes.at(-1)).toMatchObject({ type: 'Initialized', status: 'Unknown', ...waitingFor });
});
