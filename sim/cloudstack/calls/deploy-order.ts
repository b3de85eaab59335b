/** What a deploy asks for, read and checked: everything that is refused before there is a VM. */
import type { Wanted } from '../machines/hosts.ts';
import type { Network, Offering, Owner, SecurityGroup, Zone } from '../site/types.ts';
import { isUuid } from '../site/uuid.ts';
import type { Arguments } from '../wire/fields.ts';
import { invalid, notPermitted } from '../wire/refusals.ts';
import type { Call, Parts } from './command.ts';
import { byId, mayUse, needed, noRight, ownerFor } from './finding.ts';
import { checkLimits, limitReached } from './limits.ts';

export interface Order extends Wanted {
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
export function readOrder(call: Call, parts: Parts): Order {
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
  if (given.has('domainid') && !given.has('account')) {
    throw invalid('AccountName and domainId must be specified together');
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
