/** What launches and ends on CloudStack do beyond the contract, or in a way of their own. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { ok } from '../../../shared/base/result.ts';
import { displayNameFor } from '../../../shared/providers/cloudstack/instances/ownership.ts';
import {
  type Account,
  allListed,
  type CloudStackHarness,
  type CloudStackWorldOptions,
  startCloudStackHarness,
} from './cloudstack-harness.ts';
import {
  aKey,
  anOwner,
  aRequest,
  created,
  failure,
  foundOf,
  ids,
  patience,
  untilCreated,
  untilDeleted,
  value,
} from './requests.ts';

async function world(options: CloudStackWorldOptions = {}): Promise<CloudStackHarness> {
  const harness = await startCloudStackHarness(options);
  onTestFinished(() => harness.close());
  return harness;
}

const tidied = async ({ provider }: CloudStackHarness) => value(await provider.tidy(anOwner(), patience()));

const accounts: Account[] = ['admin', 'user'];

it("takes no VM of another account for its own, whatever name it has, also where it may see everybody's", async () => {
  // An administrator who makes machines for himself.
  const options = { customIds: true, domain: undefined, account: undefined } as unknown as { [field: string]: Json };
  const harness = await world({ account: 'admin', options });
  const { claimName } = aRequest(harness);
  const id = await harness.makeForeign('somebody');
  harness.cloudstack.vm(id)!.displayName = displayNameFor(anOwner(), claimName);

  expect(value(await harness.provider.list(anOwner(), undefined, patience())).items).toEqual([]);
  expect(await foundOf(harness)).toEqual([]);
});

describe.each(accounts)('a launch on CloudStack as %s', (account) => {
  it('tells a capacity error of the job, and leaves an object that a discard takes away', async () => {
    const harness = await world({ account });
    await harness.inject({ do: 'sold-out' });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    if (begun.done) expect.fail('it can not be done');
    await harness.advance(begun.retryAfterSeconds);

    const refused = failure(await harness.provider.pollCreate(begun.handle, patience()), 'insufficient-capacity');

    expect(refused.message).toContain('Unable to create a deployment');
    expect(await harness.living()).toEqual([]);
    const [left] = await foundOf(harness);
    expect(left).toMatchObject({ owner: anOwner(), state: 'running', ending: { kind: 'instance_terminated' } });
    await untilDeleted(harness, left!);
    expect(harness.cloudstack.vms()).toEqual([]);
  });

  it('lets a VM that boots come up before it is destroyed, and the create is lost then', async () => {
    const harness = await world({ account });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    if (begun.done) expect.fail('it should still be booting');
    const [booting] = await foundOf(harness);
    await untilDeleted(harness, booting!);

    failure(await harness.provider.pollCreate(begun.handle, patience()), 'not-found');
    expect(await harness.living()).toEqual([]);
  });

  it('says how long to wait when the account is over its limit', async () => {
    const harness = await world({ account });
    harness.cloudstack.setFaults([{ on: 'create', do: { kind: 'throttle', retryAfterSeconds: 7 } }]);

    const { retryAfterSeconds } = failure(
      await harness.provider.beginCreate(aRequest(harness), patience()),
      'throttled',
    );

    expect(retryAfterSeconds).toBe(7);
    expect(await harness.living()).toEqual([]);
  });

  it('calls a foreign VM of its name a conflict, and leaves it alone', async () => {
    const harness = await world({ account });
    const request = aRequest(harness);
    const foreign = await harness.makeForeign(request.name);

    const refused = failure(await harness.provider.beginCreate(request, patience()), 'conflict');

    expect(refused).toMatchObject({ lasting: true });
    expect(refused.message).toContain(foreign);
    expect(await harness.living()).toEqual([foreign]);
  });

  it('finds and ends a VM whose tags were never written', async () => {
    const harness = await world({ account });
    harness.cloudstack.failCommand({ command: 'createTags', code: 530, count: 100 });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    if (begun.done) expect.fail('it should still be booting');

    const [found] = await foundOf(harness);

    expect(found).toMatchObject({ owner: anOwner(), claimName: aRequest(harness).claimName });
    expect(Object.keys(harness.cloudstack.vm(found!.id)!.tags)).toEqual([]);
    const listed = value(await harness.provider.list(anOwner(), undefined, patience()));
    expect(ids(listed.items)).toEqual([found!.id]);
    await untilDeleted(harness, found!);
    expect(await harness.living()).toEqual([]);
  });

  it('writes the tags that a crash left out, before it says that the VM is there', async () => {
    const harness = await world({ account });
    harness.cloudstack.failCommand({ command: 'createTags', code: 530, count: 1 });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));

    const { instance } = await untilCreated(harness, begun, harness.anotherProvider());
    await harness.advance(1);

    expect(harness.cloudstack.vm(instance.id)!.tags).toMatchObject({
      'poolwright.dev/claim-uid': anOwner().claimUid,
      'poolwright.dev/instance-type': harness.offering.instanceType,
      'karpenter.sh/nodeclaim': aRequest(harness).claimName,
    });
  });

  it('knows the size and the kind of a VM without tags, and tags it when its launch can no longer do so', async () => {
    const sizes = [
      { cpuNumber: 2, memory: 4096 },
      { cpuNumber: 4, memory: 8192 },
    ];
    const spec = {
      serviceOfferingSelectorTerms: [{ name: 'Custom Instance' }],
      spotOfferingSelectorTerms: [{ name: 'Custom Instance' }],
      details: sizes,
      dataVolumes: [{ diskOffering: 'Small' }],
    };
    const harness = await world({ account, spec });
    harness.cloudstack.failCommand({ command: 'createTags', code: 530, count: 1 });
    const offering = {
      instanceType: 'Custom-Instance-4cpu-8192mib',
      zone: 'zone-01',
      capacityType: 'spot' as const,
    };
    const begun = value(await harness.provider.beginCreate({ ...aRequest(harness), offering }, patience()));
    if (begun.done) expect.fail('it should still be booting');
    await harness.advance(10);

    const [found] = await foundOf(harness);
    expect(found).toMatchObject({ offering, state: 'running' });
    const vm = harness.cloudstack.vm(found!.id)!;
    await tidied(harness);
    await harness.advance(2);
    expect(vm.tags).toEqual({});
    await harness.advance(900);
    await tidied(harness);
    await harness.advance(2);

    const tags = { 'poolwright.dev/claim-uid': anOwner().claimUid, 'poolwright.dev/capacity-type': 'spot' };
    expect(vm.tags).toMatchObject(tags);
    expect(harness.cloudstack.volumes().find(({ type }) => type === 'DATADISK')?.tags).toMatchObject(tags);
  });

  it('writes the tags of the class on a VM that lacks them, and gives those back their values that somebody changed', async () => {
    const harness = await world({ account, spec: { tags: { 'cost-center': 'ml', owner: 'team-a' } } });
    harness.cloudstack.failCommand({ command: 'createTags', code: 530, count: 1 });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    if (begun.done) expect.fail('it should still be booting');
    await harness.advance(910);
    const vm = harness.cloudstack.vm((await foundOf(harness))[0]!.id)!;
    expect(vm.tags).toEqual({});

    await tidied(harness);
    await harness.advance(2);
    const className = aRequest(harness).nodeClass.name;
    const ofClass = { 'cost-center': 'ml', owner: 'team-a', 'karpenter.k8s.cloudstack/nodeclass': className };
    expect(vm.tags).toMatchObject(ofClass);

    delete vm.tags['cost-center'];
    vm.tags.owner = 'somebody';
    vm.tags.backup = 'nightly';
    await tidied(harness);
    await harness.advance(2);
    expect(vm.tags).toMatchObject({ ...ofClass, backup: 'nightly' });
  });

  it('says that a tag of the class was changed where the account may not delete tags, and knows tags of a class that has others now', async () => {
    const denied = { denied: ['deleteTags'] };
    const harness = await world({ account, spec: { tags: { owner: 'team-a' } }, cloudstack: denied });
    const instance = await created(harness);
    const vm = harness.cloudstack.vm(instance.id)!;
    await harness.advance(910);
    vm.tags.owner = 'somebody';
    // Another process, which has never seen the class.
    const provider = harness.anotherProvider();
    value(await provider.tidy(anOwner(), patience()));
    await harness.advance(20);

    const { changed } = value(await provider.get(anOwner(), instance.providerID, patience()));
    expect(vm.tags.owner).toBe(account === 'admin' ? 'team-a' : 'somebody');
    expect(changed).toBe(account === 'admin' ? undefined : 'tags (owner)');
  });

  it('sees user data and root disks that somebody changed', async () => {
    const harness = await world({ account, spec: { userData: '#!/bin/sh\ntrue\n' } });
    const instance = await created(harness);
    const vm = harness.cloudstack.vm(instance.id)!;
    const changed = async () => {
      await harness.advance(3700);
      await tidied(harness);
      await harness.advance(20);
      return value(await harness.provider.get(anOwner(), instance.providerID, patience())).changed;
    };
    expect(await changed()).toBeUndefined();

    const { userData } = vm;
    vm.userData = Buffer.from('#!/bin/sh\nfalse\n').toString('base64');
    expect(await changed()).toBe('user data');
    vm.userData = userData;
    harness.cloudstack.volumes().find(({ type, vm: of }) => type === 'ROOT' && of === vm)!.size += 20;
    expect(await changed()).toBe(`root disk (${vm.rootDiskSize + 20} GB)`);
  });

  it('calls user data changed only against what CloudStack made of it with that of the template', async () => {
    const harness = await world({ account, spec: { userData: '#!/bin/sh\ntrue\n' } });
    for (const template of harness.cloudstack.site.templates.values()) {
      template.userData = { id: '00000000-0000-4000-8000-0000000000ff', text: '#!/bin/sh\necho from the template\n' };
    }
    const instance = await created(harness);
    const vm = harness.cloudstack.vm(instance.id)!;
    expect(Buffer.from(vm.userData, 'base64').toString()).toContain('from the template');
    const changed = async () => {
      await harness.advance(3700);
      await tidied(harness);
      await harness.advance(20);
      return value(await harness.provider.get(anOwner(), instance.providerID, patience())).changed;
    };
    expect(await changed()).toBeUndefined();
    expect(await changed()).toBeUndefined();

    vm.userData = Buffer.from('#!/bin/sh\nfalse\n').toString('base64');
    expect(await changed()).toBe('user data');
  });

  it('keeps the instance group of its VMs while there are any, and deletes it some time after', async () => {
    const harness = await world({ account });
    const instance = await created(harness);
    const groups = () => harness.cloudstack.instanceGroups().map(({ name }) => name);
    const wait = async () => {
      await tidied(harness);
      await harness.advance(700);
      await tidied(harness);
      await harness.advance(1);
    };
    await wait();
    expect(groups()).toEqual([expect.stringMatching(/^poolwright-/)]);

    await untilDeleted(harness, instance);
    await tidied(harness);
    expect(groups()).toHaveLength(1);
    await wait();
    expect(groups()).toEqual([]);
  });

  it('calls a fixed address that is in use no lack of the offering', async () => {
    const staticAddresses = [{ network: 'default-network', addresses: ['10.10.0.20-10.10.0.22'] }];
    const harness = await world({ account, spec: { staticAddresses } });
    const message = 'Unable to acquire the requested Guest IP address 10.10.0.20 in network 204';
    harness.cloudstack.failCommand({ command: 'deployVirtualMachine', code: 533, message });

    const refused = failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'insufficient-capacity');

    expect(refused).toMatchObject({ spent: true, retryAfterSeconds: 1 });
  });

  it('begins anew to count the time of a data volume that had a VM again in between', async () => {
    const spec = { dataVolumes: [{ diskOffering: 'Small' }] };
    const harness = await world({ account, spec, cloudstack: { settings: { expungeDelaySeconds: 60 } } });
    const instance = await created(harness);
    const disks = () => harness.cloudstack.volumes().filter(({ type }) => type === 'DATADISK');
    const [disk] = disks();
    const vm = disk!.vm;
    harness.cloudstack.hands.destroy(instance.id);
    await harness.advance(61);
    await tidied(harness);
    disk!.vm = vm;
    await harness.advance(300);
    await tidied(harness);
    disk!.vm = undefined;
    await harness.advance(400);
    await tidied(harness);
    expect(disks()).toHaveLength(1);

    await harness.advance(601);
    await tidied(harness);
    expect(disks()).toHaveLength(0);
  });

  it('finds a VM that somebody renamed by its tags', async () => {
    const harness = await world({ account });
    const instance = await created(harness);
    harness.cloudstack.vm(instance.id)!.displayName = 'renamed';

    const pages = await allListed(harness);

    expect(ids(pages)).toEqual([instance.id]);
  });

  it('shows what somebody changed by hand, and what was stopped', async () => {
    const harness = await world({ account });
    const instance = await created(harness);
    const get = async () => value(await harness.provider.get(anOwner(), instance.providerID, patience()));
    expect(await get()).not.toHaveProperty('changed');

    const vm = harness.cloudstack.vm(instance.id)!;
    vm.offering = [...harness.cloudstack.site.offerings.values()].find(({ name }) => name === 'Large Instance')!;
    expect(await get()).toMatchObject({ changed: 'service offering (Large Instance)', offering: harness.offering });

    vm.states.push({ at: harness.clock.now(), state: 'Stopped' });
    await harness.advance(120);
    expect(await get()).toMatchObject({ ending: { kind: 'instance_stopped' } });
  });

  it('takes the data volumes of its deploy with it, and no other', async () => {
    const spec = { dataVolumes: [{ diskOffering: 'Small' }, { diskOffering: 'Medium' }] };
    const harness = await world({ account, spec });
    const instance = await created(harness);
    const vm = harness.cloudstack.vm(instance.id)!;
    const disks = harness.cloudstack.volumes().filter((volume) => volume.vm === vm && volume.type === 'DATADISK');
    expect(disks).toHaveLength(2);
    const persistent = { ...disks[0]!, id: '00000000-0000-4000-8000-00000000aaaa', name: 'pvc-1', tags: {} };
    harness.cloudstack.keepVolume(persistent);

    await untilDeleted(harness, instance);

    expect(harness.cloudstack.volumes().map(({ name }) => name)).toEqual(['pvc-1']);
  });

  it('deletes the data volumes of a VM that ended without it, when nobody can want them any more, and no others', async () => {
    const spec = { dataVolumes: [{ diskOffering: 'Small' }, { diskOffering: 'Medium' }] };
    const harness = await world({ account, spec, cloudstack: { settings: { expungeDelaySeconds: 60 } } });
    const instance = await created(harness);
    await harness.advance(1);
    const living = await created(harness, { claimUid: 'c1a1-0002' });
    await harness.advance(1);
    const names = () => harness.cloudstack.volumes().filter(({ type }) => type === 'DATADISK');
    const taken = names().find(({ vm }) => vm?.id === living.id)!;
    taken.vm = undefined;
    expect(names()).toHaveLength(4);

    harness.cloudstack.hands.destroy(instance.id);
    await harness.advance(61);
    await tidied(harness);
    expect(names()).toHaveLength(4);
    await harness.advance(700);
    await tidied(harness);

    expect(names().map(({ vm }) => vm?.id)).toEqual([undefined, living.id]);
    expect(names()[0]).toBe(taken);
  });

  it('keeps the VMs of a pool apart by a group that it makes once, and deletes when it is empty', async () => {
    const harness = await world({ account, spec: { affinity: { perPool: 'host anti-affinity' } } });
    const makers = [1, 2, 3].map((number) => created(harness, { claimUid: `c1a1-000${number}` }));
    const instances = await Promise.all(makers);

    expect(harness.cloudstack.groups()).toHaveLength(1);
    const hosts = instances.map(({ id }) => harness.cloudstack.vm(id)!.host?.id);
    expect(new Set(hosts).size).toBe(3);
    for (const instance of instances) await untilDeleted(harness, instance);
    await tidied(harness);
    expect(harness.cloudstack.groups()).toHaveLength(1);
    await harness.advance(700);
    await tidied(harness);
    await harness.advance(1);
    expect(harness.cloudstack.groups()).toEqual([]);
  });

  it('makes another group when the first one is full', async () => {
    const harness = await world({
      account,
      spec: { affinity: { perPool: 'host anti-affinity' } },
      options: { affinityGroupMembers: 2 },
    });
    for (const number of [1, 2, 3]) await created(harness, { claimUid: `c1a1-000${number}` });

    expect(harness.cloudstack.groups()).toHaveLength(2);
  });

  it('gives fixed addresses, each once', async () => {
    const staticAddresses = [{ network: 'default-network', addresses: ['10.10.0.20-10.10.0.22'] }];
    const harness = await world({ account, spec: { staticAddresses } });
    const instances = [];
    for (const number of [1, 2, 3]) instances.push(await created(harness, { claimUid: `c1a1-000${number}` }));

    const addresses = instances.map(({ id }) => harness.cloudstack.vm(id)!.nics[0]?.ip);
    expect(addresses.toSorted()).toEqual(['10.10.0.20', '10.10.0.21', '10.10.0.22']);
    const request = aRequest(harness, { claimUid: 'c1a1-0004' });
    const refused = failure(await harness.provider.beginCreate(request, patience()), 'insufficient-capacity');
    expect(refused.message).toContain('spec.staticAddresses');
  });

  it('says what a lease will do before it does', async () => {
    const harness = await world({ account, spec: { lease: { days: 1 } } });
    const instance = await created(harness);
    expect(instance).not.toHaveProperty('interruptsAt');

    await harness.advance(23.5 * 3600);

    const seen = value(await harness.provider.get(anOwner(), instance.providerID, patience()));
    expect(seen).toMatchObject({ ending: { kind: 'scheduled_change' }, interruptsAt: expect.any(Number) });
  });

  it('does not call the limit of the account a lack of the offering', async () => {
    const harness = await world({ account, cloudstack: { settings: { limits: { user_vm: 0 } } } });

    const refused = failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'quota-exceeded');

    expect(refused).toMatchObject({ spent: true, retryAfterSeconds: 60 });
  });
});

describe('a deploy', () => {
  it('puts the join command of the Secret into user data, and says so when it is missing', async () => {
    const userData = '#!/bin/sh\n{{ poolwright.join.command | raw }} --node-name {{ poolwright.node.name }}\n';
    let secret: Record<string, string> = {};
    const harness = await world({
      account: 'user',
      spec: { userData },
      context: { secrets: { read: async () => ok(secret) } },
    });
    const request = aRequest(harness);
    const missing = failure(await harness.provider.beginCreate(request, patience()), 'not-ready');
    expect(missing.message).toContain('line 2: poolwright.join.command needs the key join-command of the Secret');

    secret = { 'join-command': 'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef' };
    const instance = await created(harness);

    const sent = Buffer.from(harness.cloudstack.vm(instance.id)!.userData, 'base64').toString();
    expect(sent).toContain(`${secret['join-command']} --node-name ${instance.name}\n`);
  });

  it('knows the providerID before only where the id is ours', async () => {
    const userData = '#!/bin/sh\nkubelet --provider-id={{ poolwright.node.provider-id }}\n';
    const admin = await world({ account: 'admin', spec: { userData } });
    const instance = await created(admin);
    const sent = Buffer.from(admin.cloudstack.vm(instance.id)!.userData, 'base64').toString();
    expect(sent).toContain(`--provider-id=${instance.providerID}\n`);

    const user = await world({ account: 'user', spec: { userData } });
    const refused = failure(await user.provider.beginCreate(aRequest(user), patience()), 'invalid');
    expect(refused.message).toContain('cloud-init query v1.instance_id');
    expect(await user.living()).toEqual([]);
  });

  it('says everything that a class asks for', async () => {
    const spec: { [field: string]: Json } = {
      networkSelectorTerms: [{ name: 'default-network' }, { name: 'storage-zone-01' }],
      serviceOfferingSelectorTerms: [{ name: 'Custom Instance' }],
      details: [{ cpuNumber: 3, memory: 3072 }],
      rootDiskSize: 50,
      sshKeyPair: 'my-keypair',
      boot: { type: 'UEFI', mode: 'Secure' },
      tags: { team: 'web' },
    };
    const harness = await world({ account: 'user', spec });
    const types = value(await harness.provider.instanceTypes(harness.nodeClass, patience()));
    const [type] = types;
    const request = { ...aRequest(harness), offering: { ...harness.offering, instanceType: type!.name } };

    const begun = value(await harness.provider.beginCreate(request, patience()));
    const { instance } = await untilCreated(harness, begun);

    const vm = harness.cloudstack.vm(instance.id)!;
    expect(vm).toMatchObject({ cpus: 3, memory: 3072, rootDiskSize: 50, keyPairs: ['my-keypair'], bootType: 'UEFI' });
    expect(vm.nics.map(({ network }) => network.name)).toEqual(['default-network', 'storage-zone-01']);
    expect(vm.tags).toMatchObject({ team: 'web' });
    expect(instance.capacity).toMatchObject({ cpu: '3' });
    expect(instance).not.toHaveProperty('changed');
    expect(harness.cloudstack.unknownParameters()).toEqual([]);
  });
});

describe('an end where the account may not expunge', () => {
  it('counts as gone once the VM is Destroyed, and learns that from CloudStack once', async () => {
    const harness = await world({ account: 'user', cloudstack: { settings: { userMayExpunge: false } } });
    const first = await created(harness);
    const second = await created(harness, { claimUid: 'c1a1-0002' });
    // The job fails, because nobody may expunge; the next destroy does without.
    const begun = value(await harness.provider.beginDelete(first, patience()));
    if (begun.done) expect.fail('it can not be done');
    await harness.advance(1);
    failure(await harness.provider.pollDelete(begun.handle, patience()), 'outcome-unknown');

    const again = value(await harness.provider.beginDelete(first, patience()));
    if (again.done) expect.fail('its destroy has only begun');
    await harness.advance(5);
    const kept = { instance: first.id, state: 'Destroyed' };
    expect(value(await harness.provider.pollDelete(again.handle, patience()))).toEqual({ done: true, kept });
    const before = harness.cloudstack.calls().destroyVirtualMachine ?? 0;
    await untilDeleted(harness, second);

    expect(harness.cloudstack.calls().destroyVirtualMachine).toBe(before + 1);
    expect(await harness.living()).toEqual([]);
    expect(value(await harness.provider.find(aKey(), patience()))).toEqual([]);
    failure(await harness.provider.get(anOwner(), first.providerID, patience()), 'not-found');
  });
});

describe('adopting a VM of the provider that was there before', () => {
  it('tags exactly that VM, and only for its claim', async () => {
    const harness = await world({ account: 'user' });
    const id = harness.cloudstack.launchForeign('karpenter-web-c1a1-0001', {
      'karpenter.sh/nodeclaim': 'web-c1a1-0001',
    });
    const providerID = `cloudstack://zone-01/${id}`;
    const claim = { ...aKey(), createdAt: harness.clock.now() };

    const other = { ...claim, claimName: 'another', claimUid: 'c1a1-0009' };
    failure(await harness.provider.adopt(other, providerID, { dryRun: false }, patience()), 'invalid');
    const looked = value(await harness.provider.adopt(claim, providerID, { dryRun: true }, patience()));
    expect(looked.adopted).toBe(false);
    expect(harness.cloudstack.vm(id)!.tags).not.toHaveProperty('poolwright.dev/claim-uid');
    value(await harness.provider.adopt(claim, providerID, { dryRun: false }, patience()));
    await harness.advance(2);

    expect(ids(value(await harness.provider.list(anOwner(), 'tags', patience())).items)).toEqual([id]);
    const again = value(await harness.provider.adopt(claim, providerID, { dryRun: false }, patience()));
    expect(again.adopted).toBe(true);
  });
});
