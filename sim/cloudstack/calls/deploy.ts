/** deployVirtualMachine: what is refused at once, what fails in the job, and the VM that is there from the first answer on. */
import { labelValueOf } from '../../../shared/nodes/claims/spec/label-syntax.ts';
import { planFor } from '../../cloud/plan.ts';
import { defaultSettings as cloudDefaults } from '../../cloud/settings.ts';
import type { FaultSubject } from '../../kit/faults.ts';
import { guestNodeOf } from '../guest/node-request.ts';
import type { Wanted } from '../machines/hosts.ts';
import { showVm } from '../machines/show-vm.ts';
import { claimUidIn, type Nic, type Vm } from '../machines/vm.ts';
import type { Network, Offering, Owner, SecurityGroup, Zone } from '../site/types.ts';
import { isUuid, uuidOf } from '../site/uuid.ts';
import type { Arguments } from '../wire/fields.ts';
import { invalid, noCapacity, notPermitted, Refused } from '../wire/refusals.ts';
import type { Call, Command, Parts } from './command.ts';
import { byId, mayUse, needed, noRight, ownerFor } from './finding.ts';
import { checkLimits, limitReached } from './limits.ts';
import { makeRoot, orderedDisks } from './volume-calls.ts';

export const deployVirtualMachine: Command = {
  name: 'deployVirtualMachine',
  isAsync: true,
  operation: 'create',
  params:
    '*zoneid:uuid *serviceofferingid:uuid templateid:uuid account:string affinitygroupids:list affinitygroupnames:list bootmode:string bootintosetup:boolean boottype:string clusterid:uuid copyimagetags:boolean customid:string datadiskofferinglist:map datadisksdetails:map deploymentplanner:string details:map dhcpoptionsnetworklist:map diskofferingid:uuid displayname:string displayvm:boolean domainid:uuid dynamicscalingenabled:boolean extraconfig:string group:string hostid:uuid hypervisor:string iodriverpolicy:string iothreadsenabled:boolean ip6address:string ipaddress:string iptonetworklist:map keyboard:string keypair:string keypairs:list leaseduration:integer leaseexpiryaction:string macaddress:string name:string networkids:list nicmultiqueuenumber:integer nicnetworklist:map nicpackedvirtqueuesenabled:boolean overridediskofferingid:uuid password:string podid:uuid projectid:uuid properties:map rootdisksize:long securitygroupids:list securitygroupnames:list size:long snapshotid:uuid startvm:boolean userdata:string userdatadetails:map userdataid:uuid volumeid:uuid',
  subject: ({ given }, { site }): FaultSubject => {
    const zone = site.zones.get(given.text('zoneid') ?? '')?.name ?? '';
    const offering = site.offerings.get(given.text('serviceofferingid') ?? '');
    const texts = [given.text('displayname'), given.text('group')];
    return {
      offering: { instanceType: typeAskedFor(given, offering), zone, capacityType: capacityTypeOf(offering) },
      claimUid: claimUidIn({ tags: {}, texts }),
      claimName: given.text('name'),
    };
  },
  run: deploy,
};

/** As faults and the ledger name it: the offering, in the letters of a label, and its size where the deployer chose that. */
const typeNameOf = ({ name, custom }: Offering, { cpus, memory }: { cpus: number; memory: number }): string =>
  custom === undefined ? labelValueOf(name) : `${labelValueOf(name)}-${cpus}cpu-${memory}mib`;

function typeAskedFor(given: Arguments, offering: Offering | undefined): string {
  const { cpuNumber, memory } = given.details('details');
  return offering === undefined ? '' : typeNameOf(offering, { cpus: Number(cpuNumber), memory: Number(memory) });
}

/** Operators sell preemptible capacity by offerings; those of the default site say so in their tags. */
export const capacityTypeOf = (offering: Offering | undefined): 'spot' | 'on-demand' =>
  offering?.hostTags.split(',').includes('spot') === true ? 'spot' : 'on-demand';

function deploy(call: Call, parts: Parts): { id: string; job: string } {
  const { given, caller, faults } = call;
  const { world, jobs, settings } = parts;
  const order = read(call, parts);
  const fault = faults.answer;
  const soldOut = fault?.kind === 'sold-out';
  const vm = makeVm(order, call, parts);
  world.add(vm);
  makeRoot(vm, parts);
  const disks = orderedDisks(given, vm, parts);
  for (const volume of disks) world.volumes.set(volume.id, volume);
  const job = jobs.open({
    command: 'deployVirtualMachine',
    account: caller,
    instance: { type: 'VirtualMachine', id: vm.id },
    on: vm,
  });
  const show = () => ({ virtualmachine: showVm(vm, { ...world, admin: call.admin, details: ['all'] }) });
  if (given.flag('startvm') === false) {
    jobs.plan(job, world.after(settings.jobSeconds), show);
    return { id: vm.id, job: job.id };
  }
  world.setState(vm, 'Starting');
  const host = soldOut ? undefined : world.hosts.find(order, world.shown, order.hostId);
  const broken = faults.machine.find((one) => one.kind === 'operation-fails');
  if (host === undefined || broken !== undefined) {
    const why =
      broken === undefined
        ? noCapacity(
            `Unable to create a deployment for VM instance {"id":${vm.record.seq},"instanceName":"${vm.instanceName}","type":"User","uuid":"${vm.id}"}`,
          )
        : new Refused(/^\d{3}$/.test(broken.code) ? Number(broken.code) : 530, broken.message);
    vm.stillborn = true;
    vm.busyUntil = world.after(settings.jobSeconds);
    jobs.plan(job, vm.busyUntil, () => {
      world.broken(vm);
      throw why;
    });
    return { id: vm.id, job: job.id };
  }
  world.power(vm, host);
  const { runningAt, vanishAt, noticeAt, interruptAt } = vm.record.plan;
  // What never runs has a job that never ends.
  if (runningAt !== null) {
    vm.busyUntil = runningAt;
    jobs.plan(job, runningAt, () => {
      if (vm.removedAt === null && vm.host !== undefined) world.running(vm);
      return show();
    });
  }
  if (vanishAt !== null) world.timeline.plan(vanishAt, () => world.vanish(vm));
  if (noticeAt !== null && interruptAt !== null) {
    world.timeline.plan(noticeAt, () => {
      vm.lease = { duration: 1, action: 'DESTROY', expiresAt: interruptAt };
    });
    world.timeline.plan(interruptAt, () => world.destroyed(vm, 'interrupted'));
  }
  return { id: vm.id, job: job.id };
}

interface Order extends Wanted {
  owner: Owner;
  networks: readonly { network: Network; ip: string | undefined; mac: string | undefined }[];
  name: string | undefined;
  customId: string | undefined;
  userData: string;
  keyPairs: readonly string[];
  securityGroups: readonly SecurityGroup[];
  cpuSpeed: number;
  rootDiskSize: number;
  hostId: string | undefined;
}

/** Everything that is refused before there is a VM. */
function read(call: Call, parts: Parts): Order {
  const { given, admin } = call;
  const { site, world, settings } = parts;
  const zone = needed(given, 'zoneid', site.zones);
  if (zone.allocationState === 'Disabled' && !admin) {
    throw notPermitted(`Cannot perform this operation, Zone is currently disabled: ${zone.id}`);
  }
  const offering = needed(given, 'serviceofferingid', site.offerings);
  if (offering.state === 'Inactive') {
    throw invalid(`Unable to use service offering ${offering.id} because it is inactive`);
  }
  if (offering.zones !== undefined && !offering.zones.includes(zone.name)) {
    throw notPermitted(`${offering.name} is not available in zone ${zone.name}`);
  }
  const template = byId(given, 'templateid', site.templates);
  if (template === undefined) throw invalid('Unable to find a template: the parameter templateid is needed');
  const ready = template.zones.get(zone.id);
  if (ready === undefined) throw invalid(`Template ${template.id} has not been downloaded to zone ${zone.id}`);
  if (!ready) throw invalid(`Unable to use template ${template.id}: it is not ready in zone ${zone.id}`);
  const hypervisor = given.text('hypervisor');
  if (hypervisor !== undefined && hypervisor !== template.hypervisor) {
    throw invalid(`Hypervisor passed to the deployVm call, is different from the hypervisor type of the template`);
  }
  const owner = ownerFor(call, site);
  const groups = groupsOf(given, call, parts);
  const name = given.text('name');
  const networks = networksOf(given, zone, call, parts);
  if (name !== undefined)
    checkName(
      name,
      networks.map(({ network }) => network),
      parts,
    );
  const customId = given.text('customid');
  if (customId !== undefined) checkCustomId(customId, call, parts);
  const userData = given.text('userdata') ?? '';
  checkUserData(userData, settings.userDataLength);
  for (const pair of keyPairsOf(given)) {
    const known = [...site.keyPairs.values()].some((one) => one.name === pair && mayUse(one.owner, call, site));
    if (!known) throw invalid(`A key pair with name '${pair}' does not exist or has been removed`);
  }
  const size = sizeOf(offering, given);
  const rootDiskSize = given.number('rootdisksize') ?? (offering.rootDiskSize || Math.ceil(template.size / 1024 ** 3));
  if (rootDiskSize * 1024 ** 3 < template.size) {
    throw invalid(
      `Unsupported: rootdisksize override (${rootDiskSize} GB) is smaller than template size ${template.size}`,
    );
  }
  if ((given.has('hostid') || given.has('clusterid') || given.has('podid')) && !admin) {
    throw notPermitted('Only root admin can deploy to a host, a cluster or a pod');
  }
  checkLease(given, settings.leases);
  const fault = call.faults.answer;
  if (fault?.kind === 'quota' && world.living >= fault.limit) {
    throw limitReached(owner, 'user_vm', fault.limit, world.living, 1, settings.limitCode);
  }
  checkLimits(
    owner,
    {
      user_vm: 1,
      cpu: size.cpus,
      memory: size.memory,
      volume: 1,
      primary_storage: rootDiskSize,
      gpu: offering.gpu?.count ?? 0,
    },
    parts,
  );
  const hostId = given.has('hostid') ? needed(given, 'hostid', site.hosts).id : undefined;
  return {
    zone,
    template,
    offering,
    owner,
    groups,
    networks,
    name,
    customId,
    userData,
    keyPairs: keyPairsOf(given),
    securityGroups: securityGroupsOf(given, zone, call, parts),
    rootDiskSize,
    hostId,
    ...size,
  };
}

function checkName(name: string, networks: readonly Network[], { world }: Parts): void {
  if (!/^[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(name)) {
    throw invalid(
      `Invalid name. Vm name can contain ASCII letters 'a' through 'z', the digits '0' through '9', and the hyphen ('-'), must be between 1 and 63 characters long, and can't start or end with "-" and can't start with digit`,
    );
  }
  const taken = networks.find((network) => world.nameTaken(network.id, name));
  if (taken === undefined) return;
  throw invalid(`The vm with hostName ${name} already exists in the network domain: cs.example; network=${taken.name}`);
}

function checkCustomId(id: string, { admin }: Call, { world }: Parts): void {
  if (!admin) throw notPermitted('Please check your permissions, you are not allowed to create/update custom id');
  if (!isUuid(id)) throw invalid(`UUID: ${id} doesn't follow the UUID format`);
  if (world.everFound(id) !== undefined) {
    throw invalid(`UUID: ${id} already exists so can't create/update with custom id`);
  }
}

export function checkUserData(userData: string, longest: number): void {
  if (userData.length > longest) {
    throw invalid(`User data has exceeded the maximum allowed length of ${longest} bytes: it has ${userData.length}`);
  }
  if (/[^A-Za-z0-9+/=\s]/.test(userData)) throw invalid('User data is not base64 encoded');
}

const keyPairsOf = (given: Arguments): string[] => {
  const one = given.text('keypair');
  return one === undefined ? given.list('keypairs') : [one];
};

function groupsOf(given: Arguments, call: Call, { world, site }: Parts): Wanted['groups'] {
  const byIds = given.list('affinitygroupids').map((id) => {
    const group = world.groups.get(id);
    if (group === undefined) throw given.badValue('affinitygroupids', id);
    if (!mayUse(group.owner, call, site)) throw noRight(call.caller, 'affinity group', id);
    return group;
  });
  const byNames = given.list('affinitygroupnames').map((name) => {
    const group = [...world.groups.values()].find((one) => one.name === name && mayUse(one.owner, call, site));
    if (group === undefined) throw invalid(`Unable to find group by name ${name}`);
    return group;
  });
  return [...byIds, ...byNames];
}

/** Only where the zone has them. */
function securityGroupsOf(given: Arguments, zone: Zone, call: Call, { site }: Parts): SecurityGroup[] {
  const byIds = given.list('securitygroupids').map((id) => {
    const group = site.securityGroups.get(id);
    if (group === undefined) throw given.badValue('securitygroupids', id);
    if (!mayUse(group.owner, call, site)) throw noRight(call.caller, 'security group', id);
    return group;
  });
  if (byIds.length > 0 && !zone.securityGroups) {
    throw invalid("Can't create vm with security groups; security group feature is not enabled per zone");
  }
  return byIds;
}

/** In the order in which they are asked for; the first is the default. Without any, the owner's only one. */
function networksOf(given: Arguments, zone: Zone, call: Call, { site }: Parts): Order['networks'] {
  const addressed = given.maps('iptonetworklist');
  const ids = given.list('networkids');
  if (addressed.length > 0 && ids.length > 0) {
    throw invalid("Network ids are mutually exclusive with ipToNetworkMap parameter; can't specify both");
  }
  const wanted =
    addressed.length > 0
      ? addressed.map(({ networkid = '', ip, mac }) => ({ id: networkid, ip, mac }))
      : ids.map((id, index) => ({
          id,
          ip: index === 0 ? given.text('ipaddress') : undefined,
          mac: index === 0 ? given.text('macaddress') : undefined,
        }));
  const networks = wanted.map(({ id, ip, mac }) => {
    const network = site.networks.get(id);
    if (network === undefined) throw given.badValue('networkids', id);
    return { network, ip, mac };
  });
  if (networks.length === 0) {
    const own = [...site.networks.values()].filter(
      (one) =>
        one.zone === zone &&
        one.canUseForDeploy &&
        one.owner !== undefined &&
        one.type === 'Isolated' &&
        mayUse(one.owner, call, site),
    );
    const [only] = own;
    if (only === undefined) throw invalid('No default Isolated guest network to use for the VM deployment');
    if (own.length > 1) {
      throw invalid(`More than 1 default Isolated networks are found for account; please specify networkIds`);
    }
    networks.push({ network: only, ip: given.text('ipaddress'), mac: undefined });
  }
  for (const { network } of networks) {
    if (network.owner !== undefined && !mayUse(network.owner, call, site))
      throw noRight(call.caller, 'network', network.id);
    if (network.zone !== zone) throw invalid(`Network id=${network.id} doesn't belong to zone ${zone.id}`);
    if (!network.canUseForDeploy) throw invalid(`Network ${network.id} can't be used for deployment`);
  }
  return networks;
}

/** How much of it: what the offering says, or within its limits what the deployer says. */
export function sizeOf(offering: Offering, given: Arguments): { cpus: number; memory: number; cpuSpeed: number } {
  const details = given.details('details');
  const { custom } = offering;
  const number = (name: string): number | undefined =>
    details[name] === undefined ? undefined : Number(details[name]);
  const cpuSpeed = offering.cpuSpeed ?? number('cpuSpeed') ?? 1000;
  if (custom === undefined) {
    if (number('cpuNumber') !== undefined || number('memory') !== undefined) {
      throw invalid('cpuNumber and memory can be specified only for custom service offerings');
    }
    return { cpus: offering.cpuNumber ?? 1, memory: offering.memory ?? 512, cpuSpeed };
  }
  const cpus = number('cpuNumber');
  const memory = number('memory');
  if (cpus === undefined || !Number.isInteger(cpus) || cpus < custom.minCpu || cpus > custom.maxCpu) {
    throw invalid(`Invalid CPU cores value, specify a value between ${custom.minCpu} and ${custom.maxCpu}`);
  }
  if (memory === undefined || !Number.isInteger(memory) || memory < custom.minMemory || memory > custom.maxMemory) {
    throw invalid(`Invalid memory value, specify a value between ${custom.minMemory} and ${custom.maxMemory}`);
  }
  return { cpus, memory, cpuSpeed };
}

function checkLease(given: Arguments, enabled: boolean): void {
  if (!enabled || !given.has('leaseduration')) return;
  const days = given.number('leaseduration') ?? 0;
  if (days !== -1 && (days < 1 || days > 36_500))
    throw invalid('Invalid leaseduration: must be a natural number (>=1) or -1');
  const action = given.text('leaseexpiryaction')?.toUpperCase();
  if (action !== undefined && action !== 'STOP' && action !== 'DESTROY') {
    throw invalid(`Invalid value configured for leaseexpiryaction, valid values are: STOP, DESTROY`);
  }
}

function makeVm(order: Order, call: Call, parts: Parts): Vm {
  const { given, caller, faults } = call;
  const { world, settings, machines } = parts;
  const { zone, template, offering, cpus, memory, owner } = order;
  const seq = world.nextSeq;
  const id = order.customId ?? world.nextId('vm');
  const instanceName = `i-2-${seq}-VM`;
  const name = order.name ?? `VM-${id}`;
  const nics = order.networks.map(({ network, ip, mac }, index): Nic => {
    const address = world.takeAddress(network, ip);
    if (address === undefined && network.cidr !== undefined) {
      if (ip !== undefined) throw invalid(`The given IP ${ip} is not available in network ${network.name}`);
      throw new Refused(533, `Unable to get an address in network ${network.name}`, 4320);
    }
    const macs = [0x02, 0x00, (seq >> 16) & 255, (seq >> 8) & 255, seq & 255, index + 1];
    return {
      id: uuidOf(id, 'nic', index),
      network,
      ip: address,
      mac: mac ?? macs.map((one) => one.toString(16).padStart(2, '0')).join(':'),
      isDefault: index === 0,
    };
  });
  const facts = { vmId: id, name, zone: zone.name, offering: offering.name, ip: nics[0]?.ip ?? '' };
  const node = order.userData === '' ? undefined : guestNodeOf(order.userData, facts);
  const request = {
    name,
    instanceType: typeNameOf(offering, { cpus, memory }),
    zone: zone.name,
    capacityType: capacityTypeOf(offering),
    tags: {},
    labels: node?.labels ?? {},
    taints: node?.taints ?? [],
    image: template.name,
  };
  const plan = planFor(request, { ...cloudDefaults, ...settings, quota: null }, faults.machine, world.now);
  if (node === undefined) plan.registerSeconds = null;
  const vm: Vm = {
    id,
    record: {
      seq,
      id: node?.name ?? name.toLowerCase(),
      request,
      price: null,
      plan,
      createdAt: world.now,
      runningAt: null,
      deletingAt: null,
      deleteDueAt: null,
      goneAt: null,
      whyGone: null,
      nodeStage: 'none',
    },
    name,
    displayName: given.text('displayname') ?? name,
    instanceName,
    group: given.text('group'),
    owner,
    user: caller,
    zone,
    template,
    offering,
    cpus,
    memory,
    cpuSpeed: order.cpuSpeed,
    rootDiskSize: order.rootDiskSize,
    details: vmDetails(given),
    nics,
    affinityGroups: order.groups.map((group) => group.id),
    keyPairs: order.keyPairs,
    securityGroups: order.securityGroups,
    bootType: given.text('boottype') ?? 'Bios',
    bootMode: given.text('bootmode')?.toLowerCase() ?? 'legacy',
    tags: {},
    userData: order.userData,
    lease: leaseOf(given, offering, parts),
    deleteProtection: false,
    host: undefined,
    lastHost: undefined,
    states: [{ at: world.now, state: 'Stopped' }],
    removedAt: null,
    busyUntil: world.now,
    stillborn: false,
    job: undefined,
  };
  machines.admit(vm, catalogTypeOf(vm), node?.providerID);
  const { lease } = vm;
  if (lease !== undefined) world.timeline.plan(lease.expiresAt, () => endLease(vm, parts));
  return vm;
}

export const catalogTypeOf = ({ record, template, cpus, memory, offering }: Vm) => ({
  name: record.request.instanceType,
  arch: template.arch === 'aarch64' ? ('arm64' as const) : ('amd64' as const),
  cpu: cpus,
  memoryGi: memory / 1024,
  gpus: offering.gpu?.count ?? (offering.details.pciDevice === undefined ? 0 : 1),
  price: null,
  spot: false,
  zones: [],
});

/** What a deployer says beyond the size, and extra configuration as CloudStack keeps it. */
function vmDetails(given: Arguments): Record<string, string> {
  const details = { ...given.details('details') };
  const extra = given.text('extraconfig');
  if (extra !== undefined) details['extraconfig-1'] = extra;
  const size = given.text('rootdisksize');
  if (size !== undefined) details.rootdisksize = size;
  return details;
}

const dayMs = 86_400_000;

function leaseOf(given: Arguments, offering: Offering, { settings, world }: Parts): Vm['lease'] {
  if (!settings.leases) return undefined;
  const duration = given.number('leaseduration') ?? offering.lease?.duration;
  if (duration === undefined || duration === -1) return undefined;
  const action =
    given.text('leaseexpiryaction')?.toUpperCase() === 'DESTROY' ? 'DESTROY' : (offering.lease?.action ?? 'STOP');
  return { duration, action, expiresAt: world.now + duration * dayMs };
}

/** Unless it was made longer meanwhile. */
export function endLease(vm: Vm, { world }: Parts): void {
  const { lease } = vm;
  if (lease === undefined || lease.expiresAt > world.now || vm.deleteProtection) return;
  if (lease.action === 'DESTROY') world.destroyed(vm, 'interrupted');
  else world.stopped(vm);
}
