import { describe, expect, test } from 'vitest';
import type { OfferingRef } from '../choice/offerings.ts';
import { isRestrictedLabel, launchedLabels, nodeClassLabel, offeringLabels } from './labels.ts';
import { parseRequirements } from './requirements.ts';
import type { Requirement } from './types.ts';

const offering: OfferingRef = { instanceType: 'gpu-large', zone: 'zone-1', capacityType: 'spot' };
const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
const requirements = (...written: Requirement[]) => {
  const parsed = parseRequirements(written);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
};

test.each([
  ['kubernetes.io/arch', true],
  ['node.kubernetes.io/instance-type', true],
  ['karpenter.sh/anything', true],
  ['foo.kubernetes.io/x', true],
  ['k8s.io/x', true],
  ['node.kubernetes.io/own', false],
  ['node-restriction.kubernetes.io/own', false],
  ['kops.k8s.io/own', false],
  ['example.com/own', false],
  ['notkubernetes.io/own', false],
  ['plain', false],
])('%s is restricted: %s', (key, expected) => {
  expect(isRestrictedLabel(key)).toBe(expected);
});

describe('labels of a launched claim', () => {
  test('come from machine, provider, single-valued requirements, node class and claim, the later over the earlier', () => {
    const result = launchedLabels({
      instanceType: { labels: { 'kubernetes.io/arch': 'amd64', 'sim.poolwright.dev/gpu': 'a100' } },
      offering,
      reported: { 'sim.poolwright.dev/gpu': 'a100-80', 'sim.poolwright.dev/host': 'h7' },
      requirements: requirements(
        { key: 'team', operator: 'In', values: ['red'] },
        { key: 'color', operator: 'In', values: ['a', 'b'] },
        { key: 'example.com/size', operator: 'Exists' },
        { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
        { key: 'karpenter.sh/nodepool', operator: 'In', values: ['kaito'] },
      ),
      nodeClassRef,
      own: { team: 'blue', 'kaito.sh/workspace': 'w1' },
    });
    expect(result).toEqual({
      'kubernetes.io/arch': 'amd64',
      'sim.poolwright.dev/gpu': 'a100-80',
      'sim.poolwright.dev/host': 'h7',
      'node.kubernetes.io/instance-type': 'gpu-large',
      'topology.kubernetes.io/zone': 'zone-1',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/nodepool': 'kaito',
      'poolwright.dev/simnodeclass': 'default',
      team: 'blue',
      'kaito.sh/workspace': 'w1',
    });
  });

  test('an illegal label of a provider is left out rather than spoiling all of them', () => {
    expect(offeringLabels({ labels: { 'bad key': 'x', good: 'not good!' } }, { ...offering, zone: '' })).toEqual({
      'node.kubernetes.io/instance-type': 'gpu-large',
      'karpenter.sh/capacity-type': 'spot',
    });
  });

  test('a node class without a group has no label', () => {
    expect(nodeClassLabel({ ...nodeClassRef, group: '' })).toEqual({});
  });
});
