/** Classes that somebody got wrong: each is refused once, with the field and what to do, and AWS is not asked to judge it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { ec2World, signal } from './world.ts';

let world: Awaited<ReturnType<typeof ec2World>>;
beforeAll(async () => {
  world = await ec2World();
});
afterAll(() => world.close());

type Fields = { [field: string]: Json };
const aliased = (alias: string): Fields => ({ amiSelectorTerms: [{ alias }] });
const volume = (deviceName: string, ebs: Fields): Fields => ({ deviceName, ebs });
const secret = 'hunter2';

const cases: Record<string, [spec: Fields, reason: string, field: string, advice: string]> = {
  'a misspelled field': [{ subnetSelectorTerm: [] }, 'InvalidSpec', 'spec.subnetSelectorTerm:', 'did you mean'],
  'a misspelled field of the kubelet': [
    { kubelet: { maxPod: 9 } },
    'InvalidSpec',
    'spec.kubelet.maxPod:',
    'did you mean "maxPods"?',
  ],
  'a misspelled field of a term': [
    { subnetSelectorTerms: [{ tag: { a: 'b' } }] },
    'InvalidSpec',
    'spec.subnetSelectorTerms.0.tag:',
    'did you mean "tags"?',
  ],
  'an alias with other fields': [
    { amiSelectorTerms: [{ alias: 'al2023@latest', id: 'ami-1' }] },
    'InvalidSpec',
    'spec.amiSelectorTerms[0].alias:',
    'must be alone',
  ],
  'an alias with other terms': [
    { amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }] },
    'InvalidSpec',
    'spec.amiSelectorTerms:',
    'the only term',
  ],
  'an alias in characters that only look right': [
    aliased('al２023@latest'),
    'InvalidSpec',
    'spec.amiSelectorTerms.0.alias:',
    'such as al2023@latest',
  ],
  'a release that was never made': [
    aliased('al2023@v1'),
    'AMINotFound',
    'spec.amiSelectorTerms[0]',
    'check the version',
  ],
  'role and profile': [{ instanceProfile: 'p' }, 'InvalidSpec', 'spec.instanceProfile:', 'set only one of them'],
  'a role that IAM can not have': [{ role: 'Rölle' }, 'InvalidSpec', 'spec.role:', 'only ASCII letters'],
  'empty tags to select by': [
    { subnetSelectorTerms: [{ tags: {} }] },
    'InvalidSpec',
    'spec.subnetSelectorTerms[0].tags:',
    '* matches any value',
  ],
  'tags that nothing has': [
    { securityGroupSelectorTerms: [{ tags: { grün: '✓' } }] },
    'SecurityGroupsNotFound',
    'spec.securityGroupSelectorTerms[0] (tags grün=✓)',
    'check ids, names and tags',
  ],
  'no subnets at all': [{ subnetSelectorTerms: null }, 'InvalidSpec', 'spec.subnetSelectorTerms:', 'expected array'],
  'a tag that is no text': [{ tags: { a: 1 } }, 'InvalidSpec', 'spec.tags.a:', 'expected string'],
  'a device twice': [
    { blockDeviceMappings: [volume('a', { volumeSize: '1Gi' }), volume('a', { volumeSize: '1Gi' })] },
    'InvalidSpec',
    'spec.blockDeviceMappings[1].deviceName:',
    'its own device',
  ],
  'a volume that nobody makes': [
    { blockDeviceMappings: [volume('a', { volumeSize: '99Ti' })] },
    'InvalidSpec',
    'spec.blockDeviceMappings.0.ebs.volumeSize:',
    '64Ti at most',
  ],
  'a volume filled from nothing': [
    { blockDeviceMappings: [volume('a', { volumeSize: '9Gi', volumeInitializationRate: 200 })] },
    'InvalidSpec',
    'spec.blockDeviceMappings[0].ebs.volumeInitializationRate:',
    'needs a snapshotID',
  ],
  'a name for an address': [
    { kubelet: { clusterDNS: ['kube-dns'] } },
    'InvalidSpec',
    'spec.kubelet.clusterDNS[0]:',
    'an IP address',
  ],
  'a grace that is no time': [
    {
      kubelet: {
        evictionSoft: { 'memory.available': '5%' },
        evictionSoftGracePeriod: { 'memory.available': 'soon' },
      },
    },
    'InvalidSpec',
    'spec.kubelet.evictionSoftGracePeriod["memory.available"]:',
    'such as 90s',
  ],
  'an expression for a number': [
    { kubelet: { maxPods: 'vcpus * 10' } },
    'InvalidSpec',
    'spec.kubelet.maxPods:',
    'expected number',
  ],
  'a field of Karpenter alone': [
    { enclaveOptions: { enabled: true } },
    'InvalidSpec',
    'spec.enclaveOptions:',
    'remove it',
  ],
  'user data that is too large once it is coded': [
    { userData: `#!/bin/sh\n# ${'ü'.repeat(7000)}` },
    'UserDataInvalid',
    'spec.userData:',
    'EC2 allows at most 16384',
  ],
  'headers of MIME without parts': [
    { ...aliased('al2@latest'), userData: `Content-Type: text/plain\n\n${secret}` },
    'UserDataInvalid',
    'spec.userData:',
    'boundary="…"',
  ],
  'a boundary that no line has': [
    { userData: `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--C\n\n${secret}\n` },
    'UserDataInvalid',
    'spec.userData:',
    'without any part',
  ],
  'TOML with a mistake': [
    { ...aliased('bottlerocket@latest'), userData: `[settings\nx = "${secret}"` },
    'UserDataInvalid',
    'spec.userData: line 1',
    'which Bottlerocket needs',
  ],
  'YAML with a mistake': [
    { userData: `apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {a: [ ${secret}` },
    'UserDataInvalid',
    'spec.userData: line 3',
    'not YAML',
  ],
  'a NodeConfig of another API': [
    { userData: `apiVersion: v1\nkind: NodeConfig\nspec: ${secret}\n` },
    'UserDataInvalid',
    'spec.userData:',
    'apiVersion: node.eks.aws/v1alpha1',
  ],
};

test.each(Object.entries(cases))('%s', async (_, [more, reason, field, advice]) => {
  const described = await world.classes.describe(world.nodeClass(more), signal);
  if (!described.ok) expect.fail(described.error.message);
  const { ready, message = '', reason: given } = described.value;
  expect({ ready, reason: given }).toEqual({ ready: false, reason });
  expect(message).toContain(field);
  expect(message).toContain(advice);
  expect(message.split(field), 'it is told once').toHaveLength(2);
  expect(message).not.toContain(secret);
  expect(message).not.toContain('\n');
  const asClaim = await world.classes.resolve(world.nodeClass(more), signal);
  expect(asClaim).toMatchObject({ ok: false, error: { message: `EC2NodeClass default: ${message}` } });
});

test.each<[string, Json]>([
  ['nothing', null],
  ['a text', 'hello'],
  ['a list', []],
])('a spec that is %s', async (_, spec) => {
  const described = await world.classes.describe({ name: 'default', spec }, signal);
  expect(described).toMatchObject({
    ok: true,
    value: { ready: false, reason: 'InvalidSpec', message: expect.stringContaining('spec') },
  });
});
