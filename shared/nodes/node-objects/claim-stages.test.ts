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

const notReady = (node: string, detail: string) => ({
  found: 'node' as const,
  node: {} as StoredNode,
  waitingFor: { reason: 'NodeNotReady', message: `node ${node} is not Ready`, node, detail } as const,
});

it.each([
  ['stay as long as the same node is waited for', 'n1', 'node n1 is not Ready: since 10 s'],
  ['are told anew of another node', 'n2', 'node n2 is not Ready: since 20 s'],
])('the words of a kubelet %s', (_, node, message) => {
  const said = {
    type: 'Initialized',
    status: 'Unknown',
    reason: 'NodeNotReady',
    message: 'node n1 is not Ready: since 10 s',
  };
  const claim = { status: { nodeName: 'n1', conditions: [{ ...said, lastTransitionTime: '' }] } } as StoredClaim;

  expect(decideStages(claim, notReady(node, 'since 20 s')).changes.at(-1)).toMatchObject({ message });
});

it('takes back what the attempt before said of its node, while the node of this one is not there', () => {
  const why = { reason: 'RegistrationTimeout', message: 'no Node for sim:///zone-a/i-1 within 15 minutes' };
  const conditions = ['Launched', 'Registered', 'Initialized'].map((type) => ({
    ...{ type, status: 'Unknown', lastTransitionTime: '', ...why },
  }));
  const { changes } = decideStages({ status: { conditions } } as StoredClaim, { found: 'none', why: 'no Node yet' });
  expect(changes.map(({ type }) => type)).toEqual(['Launched', 'Registered', 'Initialized']);
  expect(JSON.stringify(changes)).not.toContain('i-1');
});

it('says nothing of a later stage that no attempt has spoken of', () => {
  const { changes } = decideStages({} as StoredClaim, { found: 'none', why: 'no Node yet' });
  expect(changes.map(({ type }) => type)).toEqual(['Launched', 'Registered']);
});
