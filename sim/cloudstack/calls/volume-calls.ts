/** Volumes: the root disks that come with VMs, and data disks that are made, attached, detached and deleted. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import { ownerFields, tagList } from '../machines/show-vm.ts';
import { stateOf, type Vm } from '../machines/vm.ts';
import type { DiskOffering } from '../site/types.ts';
import type { Volume } from '../volumes.ts';
import { type Outcome, timeText } from '../wire/answer.ts';
import type { Arguments } from '../wire/fields.ts';
import { pageOf } from '../wire/pages.ts';
import { invalid, Refused } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { byId, contains, listFilter, mayUse, needed, noRight, ownerFor, tagFilter } from './finding.ts';
import { checkLimits } from './limits.ts';
import { vmNamed } from './vm-ends.ts';
import { vmSubject } from './vm-subject.ts';

const gb = 1024 ** 3;

export function makeRoot(vm: Vm, { world }: Parts): void {
  const id = world.nextId('volume');
  world.volumes.set(id, {
    id,
    name: `ROOT-${vm.record.seq}`,
    type: 'ROOT',
    owner: vm.owner,
    zone: vm.zone,
    size: vm.rootDiskSize,
    diskOffering: undefined,
    vm,
    deviceId: 0,
    attachedAt: world.now,
    tags: {},
    created: world.now,
    state: 'Ready',
  });
}

function sizeOf(disk: DiskOffering, size: number | undefined): number {
  if (!disk.customized) return disk.diskSize;
  if (size === undefined || size < 1) {
    throw invalid(`Disk offering ${disk.name} requires size parameter.`);
  }
  return size;
}

/** The data disks that a deploy asks for: one by `diskofferingid`, more by `datadisksdetails`. */
export function orderedDisks(given: Arguments, vm: Vm, { site, world }: Parts): Volume[] {
  const wanted: { disk: DiskOffering; size: number | undefined }[] = [];
  const single = byId(given, 'diskofferingid', site.diskOfferings);
  if (single !== undefined) wanted.push({ disk: single, size: given.number('size') });
  for (const { diskofferingid = '', size } of given.maps('datadisksdetails')) {
    const disk = site.diskOfferings.get(diskofferingid);
    if (disk === undefined) throw given.badValue('datadisksdetails', diskofferingid);
    wanted.push({ disk, size: size === undefined ? undefined : Number(size) });
  }
  return wanted.map(({ disk, size }, index) => ({
    id: world.nextId('volume'),
    name: `DATA-${vm.record.seq}${index === 0 ? '' : `-${index}`}`,
    type: 'DATADISK',
    owner: vm.owner,
    zone: vm.zone,
    size: sizeOf(disk, size),
    diskOffering: disk,
    vm,
    deviceId: index + 1,
    attachedAt: world.now,
    tags: {},
    created: world.now,
    state: 'Ready',
  }));
}

const createVolume: Command = {
  name: 'createVolume',
  isAsync: true,
  operation: 'tag',
  params:
    'account:string customid:string diskofferingid:uuid displayvolume:boolean domainid:uuid maxiops:long miniops:long name:string projectid:uuid size:long snapshotid:uuid virtualmachineid:uuid zoneid:uuid',
  run: (call, parts): Outcome => {
    const { given } = call;
    const { site, world, jobs, settings } = parts;
    const zone = needed(given, 'zoneid', site.zones);
    const disk = needed(given, 'diskofferingid', site.diskOfferings);
    const owner = ownerFor(call, site);
    const size = sizeOf(disk, given.number('size'));
    checkLimits(owner, { volume: 1, primary_storage: size }, parts);
    const volume: Volume = {
      id: world.nextId('volume'),
      name: given.text('name') ?? `VOL-${jobs.made + 1}`,
      type: 'DATADISK',
      owner,
      zone,
      size,
      diskOffering: disk,
      vm: undefined,
      deviceId: undefined,
      attachedAt: undefined,
      tags: {},
      created: world.now,
      state: 'Allocated',
    };
    world.volumes.set(volume.id, volume);
    const job = jobs.open({
      command: 'createVolume',
      account: call.caller,
      instance: { type: 'Volume', id: volume.id },
    });
    jobs.plan(job, world.after(settings.jobSeconds), () => ({ volume: showVolume(volume, parts) }));
    return { id: volume.id, job: job.id };
  },
};

function volumeNamed(call: Call, { world, site }: Parts): Volume {
  const volume = needed(call.given, 'id', world.volumes);
  if (!mayUse(volume.owner, call, site)) throw noRight(call.caller, 'volume', volume.id);
  return volume;
}

function volumeJob(call: Call, parts: Parts, volume: Volume, work: () => void): Outcome {
  const { world, jobs, settings } = parts;
  const job = jobs.open({
    command: call.given.command,
    account: call.caller,
    instance: { type: 'Volume', id: volume.id },
  });
  jobs.plan(job, world.after(settings.jobSeconds), () => {
    work();
    return { volume: showVolume(volume, parts) };
  });
  return { job: job.id };
}

const attachVolume: Command = {
  name: 'attachVolume',
  isAsync: true,
  operation: 'tag',
  params: '*id:uuid *virtualmachineid:uuid deviceid:long',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const volume = volumeNamed(call, parts);
    const vm = vmNamed(call, parts, 'virtualmachineid');
    const wanted = call.given.number('deviceid');
    return volumeJob(call, parts, volume, () => {
      if (volume.vm !== undefined) throw invalid('Please specify a volume that is not attached to any VM.');
      if (volume.zone !== vm.zone) throw invalid('The specified volume and VM are not in the same zone.');
      if (vm.removedAt !== null || !['Running', 'Stopped'].includes(stateOf(vm))) {
        throw invalid('Please specify a VM that is either running or stopped.');
      }
      const used = new Set(parts.world.volumesOf(vm).map(({ deviceId }) => deviceId));
      if (wanted !== undefined && used.has(wanted)) throw invalid(`deviceId ${wanted} is used by vm ${vm.id}`);
      let free = 1;
      while (used.has(free)) free++;
      volume.vm = vm;
      volume.deviceId = wanted ?? free;
      volume.attachedAt = parts.world.now;
      volume.state = 'Ready';
    });
  },
};

const detachVolume: Command = {
  name: 'detachVolume',
  isAsync: true,
  operation: 'tag',
  params: 'deviceid:long id:uuid virtualmachineid:uuid',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    if (!call.given.has('id')) throw invalid('Please provide a volume id: by device and VM is not supported here');
    const volume = volumeNamed(call, parts);
    return volumeJob(call, parts, volume, () => {
      if (volume.vm === undefined) throw invalid('The specified volume is not attached to a VM.');
      if (volume.type === 'ROOT') throw invalid('Please specify a data volume or a VM that is stopped.');
      parts.world.detach(volume);
    });
  },
};

const deleteVolume: Command = {
  name: 'deleteVolume',
  isAsync: false,
  operation: 'delete',
  params: '*id:uuid',
  run: (call, parts): Outcome => {
    const volume = volumeNamed(call, parts);
    if (volume.vm !== undefined) {
      throw invalid('Please specify a volume that is not attached to any VM.');
    }
    if (volume.state === 'Destroy') throw new Refused(530, `Unable to delete volume ${volume.id}`, 4250);
    parts.world.volumes.delete(volume.id);
    return { object: { success: true } };
  },
};

const listVolumes: Command = {
  name: 'listVolumes',
  isAsync: false,
  operation: 'list',
  params:
    'account:string clusterid:uuid diskofferingid:uuid displayvolume:boolean domainid:uuid hostid:uuid id:uuid ids:list isencrypted:boolean isrecursive:boolean keyword:string listall:boolean listsystemvms:boolean name:string page:integer pagesize:integer podid:uuid projectid:uuid retrieveonlyresourcecount:boolean serviceofferingid:uuid state:string storageid:string tags:map type:string virtualmachineid:uuid zoneid:uuid',
  subject: vmSubject,
  run: (call, parts): Outcome => {
    const { given } = call;
    const { world, settings, site } = parts;
    const mine = listFilter(call, parts);
    const only = byId(given, 'id', world.volumes);
    const zone = byId(given, 'zoneid', site.zones);
    const ids = given.list('ids');
    const vmId = given.text('virtualmachineid');
    if (vmId !== undefined && world.everFound(vmId) === undefined) throw given.badValue('virtualmachineid', vmId);
    const tagged = tagFilter(given);
    const found = [...world.volumes.values()].filter(
      (volume) =>
        (only === undefined ? mine(volume.owner) : volume === only && mayUse(volume.owner, call, site)) &&
        (ids.length === 0 || ids.includes(volume.id)) &&
        (vmId === undefined || volume.vm?.id === vmId) &&
        (zone === undefined || volume.zone === zone) &&
        (!given.has('type') || volume.type === given.text('type')?.toUpperCase()) &&
        (!given.has('name') || volume.name === given.text('name')) &&
        (!given.has('state') || volume.state === given.text('state')) &&
        contains(volume.name, given.text('keyword')) &&
        tagged(volume.tags),
    );
    return pageOf(given, settings.pageSize, 'volume', found, (volume) => showVolume(volume, parts));
  },
};

function showVolume(volume: Volume, { site }: Parts): JsonObject {
  const { vm, diskOffering, zone } = volume;
  return defined({
    id: volume.id,
    name: volume.name,
    zoneid: zone.id,
    zonename: zone.name,
    type: volume.type,
    deviceid: volume.deviceId,
    virtualmachineid: vm?.id,
    vmname: vm?.name,
    vmdisplayname: vm?.displayName,
    vmstate: vm === undefined ? undefined : stateOf(vm),
    provisioningtype: 'thin',
    size: volume.size * gb,
    created: timeText(volume.created),
    state: volume.state,
    ...ownerFields(volume.owner, site),
    storagetype: 'shared',
    hypervisor: 'KVM',
    diskofferingid: diskOffering?.id,
    diskofferingname: diskOffering?.name,
    diskofferingdisplaytext: diskOffering?.name,
    attached: volume.attachedAt === undefined ? undefined : timeText(volume.attachedAt),
    destroyed: false,
    isextractable: true,
    displayvolume: true,
    quiescevm: false,
    tags: tagList(volume.tags, 'Volume', volume.id, volume.owner, site),
  });
}

export const volumeCalls: readonly Command[] = [listVolumes, createVolume, attachVolume, detachVolume, deleteVolume];
