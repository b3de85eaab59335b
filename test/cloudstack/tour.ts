/** Every command of the stand-in, called at least once in a way that works and in ways that are refused; as both accounts. */
import type { Exchange } from '../../sim/cloudstack/api.ts';
import { deploy, order, type StandIn, standIn } from '../sim/cloudstack/stand-in.ts';

/** All exchanges of the tour, in their order. */
export async function tour(): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const world = await standIn({
    settings: { capacity: { 'zone-03/spot': 0 }, limits: { gpu: 0 }, callLimit: 10_000, jobSeconds: 1 },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  try {
    await lookAround(world);
    const vm = await live(world);
    await others(world);
    await belongings(world, vm);
    await end(world, vm);
    await refusals(world);
    return exchanges;
  } finally {
    await world.close();
  }
}

async function lookAround({ user, admin }: StandIn): Promise<void> {
  const lists = [
    ['listZones', { showcapacities: true }],
    ['listNetworks', {}],
    ['listTemplates', { templatefilter: 'executable' }],
    ['listServiceOfferings', {}],
    ['listDiskOfferings', {}],
    ['listSSHKeyPairs', {}],
    ['listSecurityGroups', {}],
    ['listResourceLimits', {}],
    ['listProjects', {}],
    ['listAccounts', {}],
    ['listUsers', {}],
    ['listDomains', {}],
    ['listCapabilities', {}],
    ['listApis', {}],
    ['listAffinityGroups', {}],
    ['listVirtualMachines', { listall: true }],
    ['listVolumes', {}],
    ['listTags', {}],
    ['listAsyncJobs', {}],
    ['listCapacity', {}],
    ['listHosts', {}],
    ['listPublicIpAddresses', {}],
    ['listIpForwardingRules', {}],
    ['listPortForwardingRules', {}],
  ] as const;
  for (const [command, values] of lists) {
    await user.send(command, values);
    await admin.send(command, values);
    const pages = command === 'listCapabilities' || command === 'listApis' ? {} : { page: 1, pagesize: 2 };
    await admin.send(command, { ...values, ...pages });
  }
}

async function live(world: StandIn): Promise<string> {
  const { user, advance, cloudstack } = world;
  const group = await user.send('createAffinityGroup', {
    name: 'apart',
    type: 'host anti-affinity',
    description: 'nodes',
  });
  const disk = [...cloudstack.site.diskOfferings.values()].find(({ customized }) => customized);
  const { id, jobid } = await deploy(world, {
    name: 'tour-1',
    displayname: 'Tour',
    group: 'tour',
    keypair: 'my-keypair',
    userdata: Buffer.from('#!/bin/sh\n').toString('base64'),
    affinitygroupids: String(group.body.id),
    leaseduration: 3,
    leaseexpiryaction: 'DESTROY',
    rootdisksize: 20,
    boottype: 'UEFI',
    bootmode: 'Secure',
    offering: 'Custom Instance',
    'details[0].cpuNumber': 3,
    'details[0].memory': 3000,
    'datadisksdetails[0].diskofferingid': disk?.id,
    'datadisksdetails[0].size': 7,
  });
  await user.job(jobid);
  await user.send('listAsyncJobs');
  await advance(1);
  await user.job(jobid);
  await user.job(group.body.jobid);
  await user.send('listVirtualMachines', { id, userdata: true });
  await user.send('listVirtualMachines', { id, details: 'min' });
  await user.send('listAffinityGroups', { virtualmachineid: id });
  await user.send('updateVirtualMachine', { id, displayname: 'Tour of the house', leaseduration: 5 });
  for (const command of ['rebootVirtualMachine', 'stopVirtualMachine', 'scaleVirtualMachine', 'startVirtualMachine']) {
    const more = command === 'scaleVirtualMachine' ? { serviceofferingid: order(cloudstack).serviceofferingid } : {};
    const { body } = await user.send(command, { id, ...more });
    await advance(1);
    await user.job(body.jobid);
  }
  return id;
}

/** Of an administrator, and of a project. */
async function others(world: StandIn): Promise<void> {
  const { user, admin, advance, cloudstack } = world;
  const [firstZone] = cloudstack.site.zones.values();
  if (firstZone !== undefined) firstZone.securityGroups = true;
  const [group] = cloudstack.site.securityGroups.values();
  const grouped = await deploy(world, { name: 'with-group', securitygroupids: group?.id });
  const own = await deploy(world, { name: 'of-admin', customid: '00000000-0000-4000-8000-00000000000a' }, admin);
  const [project] = cloudstack.site.projects.values();
  const shared = await deploy(world, { name: 'of-project', projectid: project?.id });
  await admin.send('listVirtualMachines', { id: own.id });
  await advance(1);
  await admin.job(own.jobid);
  await user.job(grouped.jobid);
  await user.job(shared.jobid);
  await admin.send('listVirtualMachines');
  await user.send('listVirtualMachines', { projectid: '-1' });
}

async function belongings({ user, advance, cloudstack }: StandIn, vm: string): Promise<void> {
  const tag = { resourceids: vm, resourcetype: 'UserVm', 'tags[0].key': 'team', 'tags[0].value': 'a b/ü' };
  for (const command of ['createTags', 'createTags', 'listTags', 'listVirtualMachines', 'deleteTags']) {
    const { body } = await user.send(command, command.startsWith('list') ? { listall: true } : tag);
    await advance(1);
    if (body.jobid !== undefined) await user.job(body.jobid);
  }
  const { zoneid } = order(cloudstack);
  const disk = [...cloudstack.site.diskOfferings.values()][0];
  const made = await user.send('createVolume', { name: 'data', diskofferingid: disk?.id, zoneid });
  const { id } = made.body;
  await advance(1);
  await user.job(made.body.jobid);
  for (const [command, more] of [
    ['attachVolume', { virtualmachineid: vm }],
    ['detachVolume', {}],
  ] as const) {
    const { body } = await user.send(command, { id: String(id), ...more });
    await advance(1);
    await user.job(body.jobid);
    await user.send('listVolumes');
  }
  await user.send('deleteVolume', { id: String(id) });
}

async function end({ user, admin, advance }: StandIn, vm: string): Promise<void> {
  const calls = [
    ['destroyVirtualMachine', {}],
    ['recoverVirtualMachine', {}],
    ['destroyVirtualMachine', {}],
    ['expungeVirtualMachine', {}],
    ['destroyVirtualMachine', {}],
  ] as const;
  for (const [command, more] of calls) {
    const { body } = await user.send(command, { id: vm, ...more });
    await advance(1);
    await advance(1);
    if (body.jobid !== undefined) await user.job(body.jobid);
    await admin.send('listVirtualMachines', { id: vm });
  }
  const { body: groups } = await user.send('listInstanceGroups', { name: 'tour' });
  const [group] = groups.instancegroup as { id: string }[];
  await user.send('deleteInstanceGroup', { id: group?.id });
  const { body } = await user.send('deleteAffinityGroup', { name: 'apart' });
  await advance(1);
  await user.job(body.jobid);
}

async function refusals(world: StandIn): Promise<void> {
  const { user, advance, cloudstack } = world;
  await user.send('deployVirtualMachine', order(cloudstack, { customid: '00000000-0000-4000-8000-000000000001' }));
  await user.send('deployVirtualMachine', order(cloudstack, { offering: 'GPU T4 Instance' }));
  await user.send('deployVirtualMachine', order(cloudstack, { name: '1-wrong' }));
  await user.send('deployVirtualMachine', {});
  await user.send('listVirtualMachines', { page: 1 });
  await user.send('listVirtualMachines', { page: 1, pagesize: 501 });
  await user.send('listVirtualMachines', { id: 'nothing' });
  await user.send('queryAsyncJobResult', { jobid: 'nothing' });
  await user.send('listZones', {}, { signature: 'wrong' });
  const poor = await deploy(world, { offering: 'Medium Spot Instance', zone: 'zone-03' });
  await advance(1);
  await user.job(poor.jobid);
  cloudstack.setCallLimit(1);
  await user.send('listZones');
  await user.send('listZones');
}
