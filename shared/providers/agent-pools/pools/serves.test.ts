import { expect, test } from 'vitest';
import { selects } from '../../claim-selector.ts';
import { poolClaims } from './serves.ts';

const claim = (kind: string, labels = {}, annotations = {}) => ({
  nodeClassRef: { group: 'karpenter.azure.com', kind, name: 'default' },
  labels,
  annotations,
});

test.each([
  ['a KaitoNodeClass', claim('KaitoNodeClass'), true],
  ['an ArcNodeClass', claim('ArcNodeClass'), true],
  ['an AKSNodeClass alone', claim('AKSNodeClass'), false],
  ['an AKSNodeClass for a workspace', claim('AKSNodeClass', { 'kaito.sh/workspace': 'phi' }), true],
  ['an AKSNodeClass for a RAG engine', claim('AKSNodeClass', { 'kaito.sh/ragengine': '' }), true],
  ['an AKSNodeClass that names us', claim('AKSNodeClass', {}, { 'poolwright.dev/provider': 'arc' }), true],
  ['an AKSNodeClass that names another', claim('AKSNodeClass', {}, { 'poolwright.dev/provider': 'sim' }), false],
])('a claim with %s: served is %s', (_, served, expected) => {
  expect(selects(poolClaims(false), served)).toBe(expected);
  expect(selects(poolClaims(true), served)).toBe(true);
});
