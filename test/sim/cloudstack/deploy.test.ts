import { afterEach, describe, expect, test } from 'vitest';
import { deploy, order, type StandIn, standIn, type Values } from './stand-in.ts';

const open: StandIn[] = [];
const start = async (...given: Parameters<typeof standIn>): Promise<StandIn> => {
  const one = await standIn(...given);
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const customId = '00000000-0000-4000-8000-000000000001';

describe('a deploy is refused', () => {
  test.each<[string, Parameters<typeof order>[1], number, string]>([
    ['with a name that is no host name', { name: '1node' }, 431, 'Invalid name'],
    ['with a name of 64 letters', { name: `a${'b'.repeat(63)}` }, 431, 'Invalid name'],
    ['in an unknown zone', { zoneid: 'nowhere' }, 431, 'Invalid parameter zoneid value=nowhere'],
    ['of an unknown offering', { serviceofferingid: 'none' }, 431, 'Invalid parameter serviceofferingid'],
    ['of an offering that is retired', { offering: 'Retired Instance' }, 431, 'inactive'],
    [
      'of an offering that is elsewhere',
      { offering: 'GPU T4 Instance', zone: 'zone-03' },
      531,
      'not available in zone',
    ],
    ['from a template that is elsewhere', { template: 'rocky-9', zone: 'zone-02' }, 431, 'has not been downloaded'],
    ['from a template that is not ready', { template: 'debian-12-uploading' }, 431, 'not ready'],
    ['into a network that is closed', { networkids: 'closed' }, 431, "can't be used for deployment"],
    ['into a network of another zone', { zone: 'zone-02', networkids: 'first' }, 431, "doesn't belong to zone"],
    ['with an address that is not there', { ipaddress: '10.99.0.1' }, 431, 'is not available'],
    ['with user data that is not encoded', { userdata: '#!/bin/sh' }, 431, 'not base64'],
    ['with user data that is too long', { userdata: 'A'.repeat(32_772) }, 431, 'maximum allowed length of 32768'],
    ['with a key pair of somebody else', { keypair: 'admin-key' }, 431, "'admin-key' does not exist"],
    ['with a root disk that is too small', { rootdisksize: 5 }, 431, 'smaller than template size'],
    ['of a custom offering without a size', { offering: 'Custom Instance' }, 431, 'Invalid CPU cores value'],
    ['with a size that the offering has', { 'details[0].cpuNumber': 3 }, 431, 'only for custom service offerings'],
    ['with an id of its own, of no administrator', { customid: customId }, 531, 'custom id'],
    ['on a host, of no administrator', { hostid: customId }, 531, 'root admin'],
    ['with a lease of no days', { leaseduration: 0 }, 431, 'leaseduration'],
    ['with security groups in a zone that has none', { securitygroupids: 'nodes' }, 431, 'not enabled per zone'],
    ['in an affinity group that is not there', { affinitygroupids: customId }, 431, 'affinitygroupids'],
  ])('%s', async (_what, values, status, said) => {
    const { user, cloudstack } = await start();
    const networks = [...cloudstack.site.networks.values()];
    const ids: Record<string, string | undefined> = {
      closed: networks.find(({ name }) => name === 'closed-zone-01')?.id,
      first: networks[0]?.id,
      nodes: [...cloudstack.site.securityGroups.values()][1]?.id,
    };
    const given: Values = order(cloudstack, values);
    const networkids = ids[String(given.networkids)] ?? given.networkids;
    const securitygroupids = ids[String(given.securitygroupids)];
    const sent = { ...given, networkids, securitygroupids };
    const { status: answered, body } = await user.send('deployVirtualMachine', sent);
    expect([answered, body.errorcode]).toEqual([status, status]);
    expect(body.errortext).toContain(said);
    expect(cloudstack.ledger()).toEqual([]);
    expect(cloudstack.vms()).toEqual([]);
  });

  test('with the id of a VM that is or was there: it makes no second one', async () => {
    const world = await start({ settings: { bootSeconds: 0, destroySeconds: 0 } });
    const { admin, advance, cloudstack } = world;
    const { id } = await deploy(world, { customid: customId, name: 'once' }, admin);
    expect(id).toBe(customId);
    const again = () => admin.send('deployVirtualMachine', order(cloudstack, { customid: customId, name: 'twice' }));
    expect((await again()).body.errortext).toContain('already exists');
    await admin.send('destroyVirtualMachine', { id, expunge: true });
    await advance(0);
    expect(cloudstack.living).toBe(0);
    expect((await again()).status).toBe(431);
    expect(cloudstack.ledger()).toHaveLength(1);
  });

  test('with the name of another in the network, until that one is expunged', async () => {
    const world = await start({ settings: { bootSeconds: 0, destroySeconds: 0, expungeDelaySeconds: 100 } });
    const { user, advance, cloudstack } = world;
    const { id } = await deploy(world, { name: 'node' });
    const again = async () => (await user.send('deployVirtualMachine', order(cloudstack, { name: 'node' }))).status;
    expect(await again()).toBe(431);
    await advance(1);
    await user.send('destroyVirtualMachine', { id });
    await advance(1);
    expect(await again()).toBe(431);
    await advance(100);
    expect(await again()).toBe(200);
    expect((await user.send('deployVirtualMachine', order(cloudstack, { name: 'node', zone: 'zone-02' }))).status).toBe(
      200,
    );
  });

  test.each([
    [535, 'user_vm', 1],
    [532, 'cpu', 2],
    [535, 'memory', 8192],
    [535, 'primary_storage', 10],
  ] as const)('with %i where the limit of %s is reached; an administrator has none', async (limitCode, kind, most) => {
    const world = await start({ settings: { limits: { [kind]: most }, limitCode, bootSeconds: 0 } });
    const { user, admin, cloudstack } = world;
    await deploy(world);
    const { status, body } = await user.send('deployVirtualMachine', order(cloudstack));
    expect([status, body.errortext]).toEqual([limitCode, expect.stringContaining(`'${kind}'`)]);
    const [limit] = await user.list('listResourceLimits', { resourcetypename: kind });
    expect(limit).toMatchObject({ max: most, resourcetypename: kind, account: 'kubernetes' });
    expect((await admin.send('deployVirtualMachine', order(cloudstack))).status).toBe(200);
  });
});

test('networks come in order, each with an address of its own, and the first is the default', async () => {
  const world = await start({ settings: { bootSeconds: 0 } });
  const { user, cloudstack } = world;
  const inZone = [...cloudstack.site.networks.values()].filter(({ zone }) => zone.name === 'zone-01');
  const [own, storage] = inZone;
  const { id } = await deploy(world, {
    networkids: undefined,
    'iptonetworklist[0].networkid': storage?.id,
    'iptonetworklist[0].ip': '10.40.0.77',
    'iptonetworklist[1].networkid': own?.id,
  });
  const { nic, ipaddress } = await user.only('listVirtualMachines', { id });
  expect(nic).toMatchObject([
    { networkname: 'storage-zone-01', ipaddress: '10.40.0.77', isdefault: true },
    { networkname: 'default-network', ipaddress: '10.10.0.2', isdefault: false },
  ]);
  expect(ipaddress).toBe('10.40.0.77');
});

test('VMs that must not share a host stop at the number of hosts, and are refused in their job', async () => {
  const world = await start({ hostsPerZone: 3, settings: { bootSeconds: 0 } });
  const { user, advance, cloudstack } = world;
  const group = await user.send('createAffinityGroup', { name: 'apart', type: 'host anti-affinity' });
  const again = await user.send('createAffinityGroup', { name: 'apart', type: 'host anti-affinity' });
  expect(again).toMatchObject({ status: 431, body: { errortext: expect.stringContaining('already exists') } });
  // A host of another kind takes plain VMs too where nothing else is left.
  const plain = [...cloudstack.site.hosts.values()].filter(
    ({ zone, arch }) => zone.name === 'zone-01' && arch === 'x86_64',
  );
  const jobs: string[] = [];
  for (let made = 0; made <= plain.length; made++) {
    jobs.push((await deploy(world, { affinitygroupids: String(group.body.id) })).jobid);
  }
  await advance(0);
  const statuses = await Promise.all(jobs.map(async (id) => (await user.job(id)).body.jobstatus));
  expect(statuses).toEqual([...plain.map(() => 1), 2]);
  const inUse = await user.send('deleteAffinityGroup', { name: 'apart' });
  await advance(0);
  expect((await user.job(inUse.body.jobid)).body).toMatchObject({ jobstatus: 2, jobresult: { errorcode: 536 } });
});

test('data disks outlive their VM unless they are named when it is destroyed', async () => {
  const world = await start({ settings: { bootSeconds: 0, destroySeconds: 0 } });
  const { user, advance, cloudstack } = world;
  const [disk] = cloudstack.site.diskOfferings.values();
  const one = await deploy(world, { diskofferingid: disk?.id });
  const two = await deploy(world, { diskofferingid: disk?.id });
  await advance(0);
  const [kept] = await user.list('listVolumes', { virtualmachineid: one.id, type: 'DATADISK' });
  const [gone] = await user.list('listVolumes', { virtualmachineid: two.id, type: 'DATADISK' });
  await user.send('destroyVirtualMachine', { id: one.id, expunge: true });
  await user.send('destroyVirtualMachine', { id: two.id, expunge: true, volumeids: String(gone?.id) });
  await advance(0);
  expect(cloudstack.volumes().map(({ id }) => id)).toEqual([kept?.id]);
  expect(cloudstack.leftovers()).toMatchObject([{ id: kept?.id }]);
  expect((await user.send('deleteVolume', { id: String(kept?.id) })).body).toEqual({ success: true });
  expect(cloudstack.leftovers()).toEqual([]);
});

test('who may not expunge is told so in the job; what is destroyed without it can be recovered for a while', async () => {
  const world = await start({
    settings: { bootSeconds: 0, destroySeconds: 0, userMayExpunge: false, expungeDelaySeconds: 60 },
  });
  const { user, admin, advance, cloudstack } = world;
  const { id } = await deploy(world);
  await advance(0);
  const expunged = await user.send('destroyVirtualMachine', { id, expunge: true });
  await advance(0);
  expect((await user.job(expunged.body.jobid)).body).toMatchObject({
    jobstatus: 2,
    jobresult: { errorcode: 530, errortext: expect.stringContaining('can be passed by Admin only') },
  });
  expect(cloudstack.living).toBe(1);
  await user.send('destroyVirtualMachine', { id });
  await advance(0);
  expect(cloudstack.living).toBe(0);
  // A plain account does not see what is destroyed.
  expect(await user.list('listVirtualMachines', { id })).toEqual([]);
  expect(await admin.only('listVirtualMachines', { id })).toMatchObject({ state: 'Destroyed' });
  expect((await admin.send('recoverVirtualMachine', { id })).body).toMatchObject({
    virtualmachine: { state: 'Stopped' },
  });
  expect(cloudstack.living).toBe(1);
  await user.send('destroyVirtualMachine', { id });
  await advance(61);
  expect(await admin.list('listVirtualMachines', { id })).toEqual([]);
});

test('a destroy that comes while a VM starts waits for it, and a repeated one does no harm', async () => {
  const world = await start({ settings: { bootSeconds: 10, destroySeconds: 2 } });
  const { user, advance, cloudstack } = world;
  const { id, jobid } = await deploy(world);
  const first = await user.send('destroyVirtualMachine', { id, expunge: true });
  const second = await user.send('destroyVirtualMachine', { id, expunge: true });
  await advance(10);
  expect((await user.job(jobid)).body.jobstatus).toBe(1);
  expect((await user.job(first.body.jobid)).body.jobstatus).toBe(0);
  await advance(2);
  expect((await user.job(first.body.jobid)).body.jobstatus).toBe(1);
  await advance(2);
  expect((await user.job(second.body.jobid)).body.jobstatus).toBe(1);
  const third = await user.send('destroyVirtualMachine', { id, expunge: true });
  await advance(0);
  expect((await user.job(third.body.jobid)).body).toMatchObject({
    jobstatus: 2,
    jobresult: { errortext: 'Unable to find a virtual machine with specified vmId' },
  });
  expect(cloudstack.ledger()).toHaveLength(1);
});

test('a lease stops or destroys a VM when its days are over, unless it was made longer', async () => {
  const world = await start({ settings: { bootSeconds: 0 } });
  const { user, advance, cloudstack } = world;
  const day = 86_400;
  const one = await deploy(world, { leaseduration: 1, leaseexpiryaction: 'DESTROY' });
  const two = await deploy(world, { leaseduration: 1 });
  const three = await deploy(world, { leaseduration: 1, leaseexpiryaction: 'DESTROY' });
  await advance(day / 2);
  expect(await user.only('listVirtualMachines', { id: one.id })).toMatchObject({
    leaseduration: 1,
    leaseexpiryaction: 'DESTROY',
    leaseexpirydate: '2026-01-02T00:00:00+0000',
  });
  await user.send('updateVirtualMachine', { id: three.id, leaseduration: 2 });
  await advance(day / 2);
  expect(cloudstack.ledger().map(({ whyGone }) => whyGone)).toEqual(['interrupted', null, null]);
  expect(await user.only('listVirtualMachines', { id: two.id })).toMatchObject({ state: 'Stopped' });
  expect(await user.only('listVirtualMachines', { id: three.id })).toMatchObject({ state: 'Running' });
});

test('a job is forgotten after a while, and is nobody else’s business', async () => {
  const world = await start({ settings: { bootSeconds: 0, jobKeptSeconds: 60 } });
  const { user, admin, advance } = world;
  const own = await deploy(world);
  const other = await deploy(world, {}, admin);
  await advance(0);
  expect((await user.job(own.jobid)).body.jobstatus).toBe(1);
  expect((await user.job(other.jobid)).status).toBe(531);
  await advance(61);
  expect((await user.job(own.jobid)).status).toBe(431);
});
