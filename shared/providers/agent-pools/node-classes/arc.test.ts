import { describe, expect, test } from 'vitest';
import type { Json } from '../../../base/json.ts';
import { describeProblems } from '../../../base/problems.ts';
import { parseArcNodeClass } from './arc.ts';

const problemOf = (spec: Json): string => {
  const parsed = parseArcNodeClass(spec);
  if (parsed.ok) expect.fail('it should have been refused');
  return describeProblems(parsed.problems);
};

describe('a node class of Arc', () => {
  test('has few fields', () => {
    const spec = { osSku: 'AzureLinux', maxPods: 60, tags: { team: 'web' }, deadlines: { launch: '30m' } };
    expect(parseArcNodeClass(spec)).toEqual({
      ok: true,
      value: { osSku: 'AzureLinux', maxPods: 60, tags: { team: 'web' } },
    });
  });

  test.each<[Json, string]>([
    [{ osSku: 'Ubuntu' }, 'spec.osSku'],
    [{ deadlines: { launch: 'soon' } }, 'spec.deadlines.launch: it must be a duration'],
    [{ maxPod: 30 }, 'spec.maxPod: there is no such field; did you mean "maxPods"?'],
    [{ tags: { 'a/b': '' } }, 'spec.tags["a/b"]'],
  ])('is refused with %j', (spec, expected) => {
    expect(problemOf(spec)).toContain(expected);
  });
});

describe('an AKSNodeClass on Arc', () => {
  test('keeps what Arc can do, and what a class for both clusters has to say anyway', () => {
    const spec = { imageFamily: 'Ubuntu', osDiskSizeGB: 128, maxPods: 60, tags: { team: 'web' }, fipsMode: 'Disabled' };
    expect(parseArcNodeClass(spec)).toEqual({
      ok: true,
      value: { osDiskSizeGB: 128, maxPods: 60, tags: { team: 'web' } },
    });
  });

  test.each<[Json, string]>([
    [{ fipsMode: 'FIPS' }, 'spec.fipsMode: agent pools on Azure Arc have no such setting'],
    [{ gpu: { mode: 'None' } }, 'spec.gpu.mode: agent pools on Azure Arc'],
    [{ kubelet: { podPidsLimit: 100 } }, 'spec.kubelet: agent pools on Azure Arc'],
    [
      { vnetSubnetID: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n' },
      'spec.vnetSubnetID: agent pools on Azure Arc',
    ],
    [{ imageFamily: 'Windows' }, 'spec.imageFamily'],
  ])('is refused with %j, because it would be promised and not kept', (spec, expected) => {
    expect(problemOf(spec)).toContain(expected);
  });
});
