/** What may be wrong with CloudStack, its account or a class: the class says it, the claim says it, nothing is made, and others go on. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeClasses } from '../../functions/reconcilers/node-classes.ts';
import { manualClock } from '../../shared/base/runtime.ts';
import { type ErrorCode, errors } from '../../shared/observe/errors/catalog.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { value } from '../conformance/providers/requests.ts';
import { useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionOf, conditionStatus } from '../nodes/world.ts';
import {
  type Fields,
  type JoinedOptions,
  joinedWorld,
  makeClaim,
  makeClass,
  readClass,
  resource,
} from './joined-world.ts';
import { signal } from './world.ts';

const open = useWorld();

interface Case extends JoinedOptions {
  /** What is wrong with the class. */
  spec?: Fields;
  reason: ErrorCode;
  says: RegExp;
  /** Of the four: the one that is False; absent: all are Unknown, because CloudStack does not say. */
  part?: string;
}

/** Something that answers, and is not CloudStack. */
const page = http.createServer((_, response) => response.end('<html><h1>Welcome to nginx!</h1></html>'));
beforeAll(() => new Promise<void>((up) => page.listen(0, '127.0.0.1', up)));
afterAll(() => void page.close());

const gpu = { serviceOfferingSelectorTerms: [{ name: 'GPU T4 Instance' }] };
/** What gzip can't make short. */
const long = Array.from({ length: 20_000 }, (_, at) => ((at * 7919) % 1_000_003).toString(36)).join('\n');

const cases: Record<string, Case> = {
  'a wrong API key': {
    env: () => ({ CLOUDSTACK_API_KEY: 'a-key-that-nobody-has-0123' }),
    reason: 'CloudStackCredentialsInvalid',
    says: /does not accept the API key or the signature/,
  },
  'a wrong secret key': {
    env: () => ({ CLOUDSTACK_SECRET_KEY: 'a-secret-that-is-wrong-0123' }),
    reason: 'CloudStackCredentialsInvalid',
    says: /the secret key belongs to it/,
  },
  'a Secret that is not there': {
    env: () => ({ CLOUDSTACK_API_KEY: '', CLOUDSTACK_SECRET_KEY: '' }),
    reason: 'CloudStackCredentialsInvalid',
    says: /there is no Secret karpenter\/cloudstack-credentials; create it with the keys api-url, api-key, secret-key/,
  },
  'a clock that is hours wrong': {
    standIn: { authClock: manualClock(Date.UTC(2030, 0, 1)) },
    reason: 'CloudStackClockSkew',
    says: /minutes behind that of .*NTP/,
  },
  'an account without a right': {
    standIn: { denied: ['listNetworks'] },
    reason: 'CloudStackCommandNotAllowed',
    says: /does not allow the command listNetworks/,
  },
  'an unknown project': {
    options: { project: 'nodez' },
    reason: 'ProjectNotFound',
    says: /there is no project "nodez".*did you mean "nodes"/,
  },
  'an unknown domain': {
    options: { domain: 'nowhere', account: 'kubernetes' },
    reason: 'DomainNotFound',
    says: /there is no domain "nowhere"/,
  },
  'a certificate that nobody knows': {
    standIn: { certificate: selfSigned('127.0.0.1') },
    reason: 'CloudStackTlsNotTrusted',
    says: /certificate of .* is not trusted: .*certificateAuthority/,
  },
  'an endpoint that is not CloudStack': {
    env: () => ({ CLOUDSTACK_API_URL: `http://127.0.0.1:${(page.address() as AddressInfo).port}/` }),
    reason: 'NotCloudStack',
    says: /is not the API of CloudStack.*Welcome to nginx/,
  },
  'a zone that is gone': {
    spec: { zone: 'zone-09' },
    reason: 'ZonesNotFound',
    says: /there is no zone "zone-09"/,
    part: 'ZoneReady',
  },
  'a network that can not be used': {
    spec: { networkSelectorTerms: [{ name: 'closed-zone-01' }] },
    reason: 'NetworkNotUsable',
    says: /network closed-zone-01 of zone zone-01 cannot be used to deploy instances/,
    part: 'NetworkReady',
  },
  'a network that is gone': {
    spec: { networkSelectorTerms: [{ id: '00000000-0000-4000-8000-000000000000' }] },
    reason: 'NetworksNotFound',
    says: /no network of zone zone-01 matches .*no such id/,
    part: 'NetworkReady',
  },
  'a template that is gone': {
    spec: { templateSelectorTerms: [{ name: 'ubuntu-20.04-kubernetes' }] },
    reason: 'TemplatesNotFound',
    says: /did you mean "ubuntu-22.04-kubernetes"/,
    part: 'TemplateReady',
  },
  'a template that is not ready in the zone': {
    spec: { templateSelectorTerms: [{ name: 'debian-12-uploading' }] },
    reason: 'TemplateNotReady',
    says: /template debian-12-uploading is not ready in zone zone-01/,
    part: 'TemplateReady',
  },
  'an offering for another architecture': {
    spec: { serviceOfferingSelectorTerms: [{ name: 'Medium ARM Instance' }] },
    reason: 'OfferingTemplateMismatch',
    says: /offering Medium ARM Instance is for arm64, template ubuntu-22.04-kubernetes for amd64/,
    part: 'ServiceOfferingReady',
  },
  'an offering with a GPU for another hypervisor': {
    spec: { ...gpu, templateSelectorTerms: [{ name: 'photon-vmware' }] },
    reason: 'OfferingTemplateMismatch',
    says: /the GPU of offering GPU T4 Instance needs hypervisor KVM, and template photon-vmware is for VMware/,
    part: 'ServiceOfferingReady',
  },
  'a root disk that is too small': {
    spec: { rootDiskSize: 5 },
    reason: 'OfferingTemplateMismatch',
    says: /spec.rootDiskSize is 5 GB, and template ubuntu-22.04-kubernetes needs 10 GB/,
    part: 'ServiceOfferingReady',
  },
  'a customised offering without a size': {
    spec: { serviceOfferingSelectorTerms: [{ name: 'Custom Instance' }], details: [{ cpuNumber: 65, memory: 512 }] },
    reason: 'OfferingNeedsSize',
    says: /spec.details has no size for it within its limits \(1 to 64 CPUs, 512 to 262144 MiB\)/,
    part: 'ServiceOfferingReady',
  },
  'user data that is too long': {
    spec: { userData: `#!/bin/bash\n${long}` },
    reason: 'UserDataTooLong',
    says: /spec.userData is too long: .* at most 32768/,
  },
  'a disk offering that is not there': {
    spec: { diskOffering: 'Smal' },
    reason: 'DiskOfferingNotFound',
    says: /there is no disk offering "Smal"; did you mean "Small"\?/,
  },
  'a key pair that is not there': {
    spec: { sshKeyPair: 'your-keypair' },
    reason: 'KeyPairNotFound',
    says: /there is no SSH key pair "your-keypair"/,
  },
};

it.each(Object.entries(cases))('%s: class and claim say so by its name, and others go on', async (_name, wrong) => {
  const { world, cloudstack } = await joinedWorld(open, wrong);
  await makeClass(world, 'bad', wrong.spec);
  await makeClaim(world, 'bad');
  // The simulated cloud serves this one.
  await world.createClaim('well');
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(60, 10);

  const conditions = (await readClass(world, 'bad')).status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'False', reason: wrong.reason, message: expect.stringMatching(wrong.says) });
  if (wrong.part !== undefined) {
    expect(conditions.find(({ type }) => type === wrong.part)).toMatchObject({ status: 'False', reason: wrong.reason });
  }
  const launched = conditionOf(await world.claim('bad'), 'Launched');
  expect(launched?.status).not.toBe('True');
  expect(`${launched?.reason} ${launched?.message}`).toContain(wrong.reason);
  expect(launched?.message).toMatch(wrong.says);
  expect(errors[wrong.reason]).toMatchObject({ cause: expect.any(String), cure: expect.any(String) });
  expect(cloudstack.ledger()).toEqual([]);
  expect(conditionStatus(await world.claim('well'), 'Ready')).toBe('True');
  expect(JSON.stringify([conditions, await world.claim('bad')])).not.toContain(cloudstack.user.secretKey);
});

it('a claim of a class that nobody has judged yet names the cause as well', async () => {
  const { world } = await joinedWorld(open, { env: () => ({ CLOUDSTACK_SECRET_KEY: 'a-secret-that-is-wrong-0123' }) });
  await makeClass(world, 'bad');
  await makeClaim(world, 'bad');
  await world.pass(30, 10);
  expect(conditionOf(await world.claim('bad'), 'Launched')).toMatchObject({
    status: 'Unknown',
    reason: 'CloudStackCredentialsInvalid',
  });
});

it('a claim whose deploy the role does not allow names the command, and goes on when it is allowed', async () => {
  const denied = ['deployVirtualMachine'];
  const { world, cloudstack } = await joinedWorld(open, { standIn: { denied } });
  await makeClass(world, 'one');
  await makeClaim(world, 'one');
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(30, 10);
  expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({
    reason: 'CloudStackCommandNotAllowed',
    message: expect.stringContaining('deployVirtualMachine'),
  });
  denied.length = 0;
  await world.pass(600, 30);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(cloudstack.ledger()).toHaveLength(1);
});

it('a class that is mended makes its claims go on', async () => {
  const { world } = await joinedWorld(open);
  await makeClass(world, 'bad', { networkSelectorTerms: [{ name: 'closed-zone-01' }] });
  await makeClaim(world, 'bad');
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(60, 10);
  expect(conditionOf(await world.claim('bad'), 'Launched')).toMatchObject({ reason: 'NodeClassNotReady' });
  const mended = { spec: { networkSelectorTerms: [{ name: 'default-network' }] } };
  value(await world.api.mergePatch(resource, { name: 'bad' }, mended));
  world.clock.advance(61_000);
  await nodeClasses.run(world.services, clusterName, signal);
  await world.pass(300, 10);
  const { status } = await readClass(world, 'bad');
  expect(status?.conditions?.map(({ type, status: is }) => [type, is]).sort()).toEqual([
    ['NetworkReady', 'True'],
    ['Ready', 'True'],
    ['ServiceOfferingReady', 'True'],
    ['TemplateReady', 'True'],
    ['ZoneReady', 'True'],
  ]);
  expect(conditionStatus(await world.claim('bad'), 'Ready')).toBe('True');
});
