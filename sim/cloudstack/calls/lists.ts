/** Lists of what the site has: zones, networks, templates, offerings, key pairs, people. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import { ownerFields, showSecurityGroup, tagList } from '../machines/show-vm.ts';
import type { DiskOffering, Network, Offering, Template, Zone } from '../site/types.ts';
import { uuidOf } from '../site/uuid.ts';
import { timeText } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import { invalid } from '../wire/refusals.ts';
import { capacityOf } from './capacity.ts';
import type { Call, Command, Parts } from './command.ts';
import { byId, contains, listFilter, mayUse, noRight, tagFilter } from './finding.ts';

const installed = timeText(Date.UTC(2025, 0, 1));
const rootOwner = { account: 'admin', domainId: '' };

const enabledFor = ({ allocationState }: Zone, { admin }: Call): boolean => admin || allocationState === 'Enabled';

const listZones: Command = {
  name: 'listZones',
  isAsync: false,
  operation: 'types',
  params:
    'available:boolean domainid:uuid id:uuid ids:list keyword:string name:string networktype:string page:integer pagesize:integer showcapacities:boolean showicon:boolean tags:map storageaccessgroup:string',
  run: (call, parts) => {
    const { given } = call;
    const { site, settings } = parts;
    const only = byId(given, 'id', site.zones);
    const ids = given.list('ids');
    const tagged = tagFilter(given);
    const found = [...site.zones.values()].filter(
      (zone) =>
        enabledFor(zone, call) &&
        (only === undefined || zone === only) &&
        (ids.length === 0 || ids.includes(zone.id)) &&
        (!given.has('name') || zone.name === given.text('name')) &&
        contains(zone.name, given.text('keyword')) &&
        (!given.has('networktype') || zone.networkType === given.text('networktype')) &&
        tagged(zone.tags),
    );
    const capacities = given.flag('showcapacities') === true;
    return pageOf(given, settings.pageSize, 'zone', found, (zone) => ({
      id: zone.id,
      name: zone.name,
      networktype: zone.networkType,
      securitygroupsenabled: zone.securityGroups,
      allocationstate: zone.allocationState,
      dhcpprovider: 'VirtualRouter',
      localstorageenabled: false,
      type: 'Core',
      tags: tagList(zone.tags, 'Zone', zone.id, rootOwner, site),
      ...(capacities ? { capacity: capacityOf(zone, parts) } : {}),
      ...gpuTotals(zone, parts),
    }));
  },
};

function gpuTotals(zone: Zone, { site, world }: Parts): JsonObject {
  let [total, used] = [0, 0];
  for (const host of site.hosts.values()) {
    if (host.zone !== zone) continue;
    for (const count of host.gpus.values()) total += count;
    for (const count of world.hosts.usedOf(host).gpus.values()) used += count;
  }
  return { gputotal: total, gpuused: used };
}

const listNetworks: Command = {
  name: 'listNetworks',
  isAsync: false,
  operation: 'types',
  params:
    'account:string acltype:string canusefordeploy:boolean domainid:uuid forvpc:boolean id:uuid isrecursive:boolean issystem:boolean keyword:string listall:boolean name:string networkfilter:string page:integer pagesize:integer projectid:uuid restartrequired:boolean supportedservices:list tags:map traffictype:string type:string vpcid:uuid zoneid:uuid displaynetwork:boolean',
  run: (call, parts) => {
    const { given } = call;
    const { site, settings } = parts;
    const only = byId(given, 'id', site.networks);
    const zone = byId(given, 'zoneid', site.zones);
    const mine = listFilter(call, parts);
    const tagged = tagFilter(given);
    const deployable = given.flag('canusefordeploy');
    if (only?.owner !== undefined && !mayUse(only.owner, call, site)) throw noRight(call.caller, 'network', only.id);
    const found = [...site.networks.values()].filter(
      (network) =>
        (only === undefined ? network.owner === undefined || mine(network.owner) : network === only) &&
        (zone === undefined || network.zone === zone) &&
        (!given.has('name') || network.name === given.text('name')) &&
        contains(network.name, given.text('keyword')) &&
        (!given.has('type') || network.type === given.text('type')) &&
        (deployable === undefined || network.canUseForDeploy === deployable) &&
        !given.has('vpcid') &&
        tagged(network.tags),
    );
    return pageOf(given, settings.pageSize, 'network', found, (network) => showNetwork(network, parts));
  },
};

const showNetwork = (network: Network, { site }: Parts): JsonObject =>
  defined({
    id: network.id,
    name: network.name,
    displaytext: network.name,
    broadcastdomaintype: 'Vlan',
    traffictype: 'Guest',
    gateway: network.cidr?.replace(/0\/\d+$/, '1'),
    netmask: network.cidr === undefined ? undefined : '255.255.0.0',
    cidr: network.cidr,
    zoneid: network.zone.id,
    zonename: network.zone.name,
    networkofferingid: uuidOf('networkoffering', network.type),
    networkofferingname: `Default${network.type}NetworkOffering`,
    networkofferingdisplaytext: `Offering for ${network.type} networks`,
    networkofferingconservemode: true,
    networkofferingavailability: 'Optional',
    networkdomain: 'cs.example',
    physicalnetworkid: uuidOf('physicalnetwork', network.zone.id),
    issystem: false,
    state: network.state,
    related: network.id,
    dns1: '192.0.2.53',
    type: network.type,
    acltype: network.owner === undefined ? 'Domain' : 'Account',
    ...(network.owner === undefined ? {} : ownerFields(network.owner, site)),
    canusefordeploy: network.canUseForDeploy,
    ispersistent: false,
    restartrequired: false,
    specifyipranges: network.type === 'Shared',
    displaynetwork: true,
    service: [],
    tags: tagList(network.tags, 'Network', network.id, network.owner ?? rootOwner, site),
  });

const templateFilters = [
  'featured',
  'self',
  'selfexecutable',
  'sharedexecutable',
  'executable',
  'community',
  'all',
] as const;

const listTemplates: Command = {
  name: 'listTemplates',
  isAsync: false,
  operation: 'types',
  params:
    '*templatefilter:string account:string arch:string details:list domainid:uuid forcks:boolean hypervisor:string id:uuid ids:list isready:boolean isrecursive:boolean keyword:string listall:boolean name:string page:integer pagesize:integer parenttemplateid:uuid projectid:uuid showremoved:boolean showunique:boolean tags:map templatetype:string zoneid:uuid',
  run: (call, parts) => {
    const { given, admin } = call;
    const { site, settings } = parts;
    const filter = given.text('templatefilter');
    if (!templateFilters.some((one) => one === filter)) throw invalid(`Unknown template filter: ${filter}`);
    if (filter === 'all' && !admin) throw invalid('Filter all can be specified by admin only');
    const only = byId(given, 'id', site.templates);
    const zone = byId(given, 'zoneid', site.zones);
    const ids = given.list('ids');
    const mine = listFilter(call, parts);
    const tagged = tagFilter(given);
    const seen = (template: Template): boolean => {
      if (only !== undefined || admin) return true;
      if (filter === 'featured') return template.featured && template.public;
      if (filter === 'community') return template.public && !template.featured;
      if (filter === 'executable') return template.public || mine(template.owner);
      return mine(template.owner);
    };
    const ready = given.flag('isready');
    const unique = given.flag('showunique') === true;
    const found = [...site.templates.values()]
      .filter(
        (template) =>
          seen(template) &&
          (only === undefined || template === only) &&
          (ids.length === 0 || ids.includes(template.id)) &&
          (!given.has('name') || template.name === given.text('name')) &&
          contains(template.name, given.text('keyword')) &&
          (!given.has('hypervisor') || template.hypervisor === given.text('hypervisor')) &&
          (!given.has('arch') || template.arch === given.text('arch')) &&
          tagged(template.tags),
      )
      // One line for each zone in which it is, as the management server lists them.
      .flatMap((template) =>
        [...template.zones]
          .filter(
            ([id, isReady]) => (zone === undefined || id === zone.id) && (ready === undefined || ready === isReady),
          )
          .slice(0, unique ? 1 : undefined)
          .map(([id, isReady]) => ({ template, zone: site.zones.get(id), isReady })),
      );
    return pageOf(given, settings.pageSize, 'template', found, (line) => showTemplate(line, parts));
  },
};

function showTemplate(
  { template, zone, isReady }: { template: Template; zone: Zone | undefined; isReady: boolean },
  { site }: Parts,
): JsonObject {
  return defined({
    id: template.id,
    name: template.name,
    displaytext: template.name,
    ispublic: template.public,
    created: timeText(template.created),
    isready: isReady,
    passwordenabled: false,
    format: template.hypervisor === 'KVM' ? 'QCOW2' : 'OVA',
    isfeatured: template.featured,
    crossZones: template.zones.size > 1,
    ostypeid: template.osTypeId,
    ostypename: template.osTypeName,
    ...ownerFields(template.owner, site),
    zoneid: zone?.id,
    zonename: zone?.name,
    status: isReady ? 'Download Complete' : '41% Downloaded',
    size: template.size,
    templatetype: 'USER',
    userdataid: template.userData?.id,
    userdatapolicy: template.userData && 'APPEND',
    hypervisor: template.hypervisor,
    arch: template.arch,
    isextractable: false,
    details: {},
    bits: 64,
    sshkeyenabled: true,
    isdynamicallyscalable: false,
    directdownload: false,
    deployasis: false,
    requireshvm: true,
    tags: tagList(template.tags, 'Template', template.id, template.owner, site),
  });
}

const listServiceOfferings: Command = {
  name: 'listServiceOfferings',
  isAsync: false,
  operation: 'types',
  params:
    'account:string cpunumber:integer cpuspeed:integer domainid:uuid encryptroot:boolean gpuenabled:boolean id:uuid isrecursive:boolean issystem:boolean keyword:string listall:boolean memory:integer name:string page:integer pagesize:integer projectid:uuid state:string storagetype:string systemvmtype:string templateid:uuid vgpuprofileid:uuid virtualmachineid:uuid zoneid:uuid',
  run: (call, parts) => {
    const { given } = call;
    const { site, settings } = parts;
    const only = byId(given, 'id', site.offerings);
    const zone = byId(given, 'zoneid', site.zones);
    const gpus = given.flag('gpuenabled');
    const state = (given.text('state') ?? 'active').toLowerCase();
    const [cpu, memory] = [given.number('cpunumber'), given.number('memory')];
    const found = [...site.offerings.values()].filter(
      (offering) =>
        (only === undefined || offering === only) &&
        (zone === undefined || offering.zones === undefined || offering.zones.includes(zone.name)) &&
        (!given.has('name') || offering.name === given.text('name')) &&
        contains(offering.name, given.text('keyword')) &&
        (state === 'all' || offering.state.toLowerCase() === state) &&
        (gpus === undefined || (offering.gpu !== undefined) === gpus) &&
        (!given.has('vgpuprofileid') || offering.gpu?.profileId === given.text('vgpuprofileid')) &&
        (cpu === undefined || (offering.cpuNumber ?? offering.custom?.maxCpu ?? 0) >= cpu) &&
        (memory === undefined || (offering.memory ?? offering.custom?.maxMemory ?? 0) >= memory),
    );
    return pageOf(given, settings.pageSize, 'serviceoffering', found, (offering) => showOffering(offering, parts));
  },
};

function showOffering(offering: Offering, { site }: Parts): JsonObject {
  const { gpu, custom, lease } = offering;
  const zones = offering.zones?.flatMap((name) => [...site.zones.values()].filter((zone) => zone.name === name));
  const limits =
    custom === undefined
      ? {}
      : {
          mincpunumber: String(custom.minCpu),
          maxcpunumber: String(custom.maxCpu),
          minmemory: String(custom.minMemory),
          maxmemory: String(custom.maxMemory),
        };
  return defined({
    id: offering.id,
    name: offering.name,
    displaytext: offering.name,
    cpunumber: offering.cpuNumber,
    cpuspeed: offering.cpuSpeed,
    memory: offering.memory,
    created: installed,
    storagetype: 'shared',
    provisioningtype: 'thin',
    offerha: false,
    limitcpuuse: false,
    isvolatile: false,
    storagetags: offering.storageTags === '' ? undefined : offering.storageTags,
    hosttags: offering.hostTags === '' ? undefined : offering.hostTags,
    zoneid: zones?.map(({ id }) => id).join(','),
    zone: zones?.map(({ name }) => name).join(','),
    networkrate: offering.networkRate,
    iscustomized: custom !== undefined,
    rootdisksize: offering.rootDiskSize,
    serviceofferingdetails: { ...offering.details, ...limits },
    gpucardid: gpu?.cardId,
    gpucardname: gpu?.cardName,
    gpucount: gpu?.count,
    gpudisplay: gpu === undefined ? undefined : false,
    vgpuprofileid: gpu?.profileId,
    vgpuprofilename: gpu?.profileName,
    videoram: gpu?.videoRam,
    leaseduration: lease?.duration,
    leaseexpiryaction: lease?.action,
    issystem: false,
    defaultuse: false,
    cacheMode: 'none',
    diskofferingstrictness: false,
    encryptroot: false,
    dynamicscalingenabled: true,
    state: offering.state,
    hasannotations: false,
  });
}

const listDiskOfferings: Command = {
  name: 'listDiskOfferings',
  isAsync: false,
  operation: 'types',
  params:
    'account:string domainid:uuid encrypt:boolean id:uuid isrecursive:boolean keyword:string listall:boolean name:string page:integer pagesize:integer projectid:uuid state:string storageid:uuid storagetype:string virtualmachineid:uuid volumeid:uuid zoneid:uuid',
  run: ({ given }, { site, settings }) => {
    const only = byId(given, 'id', site.diskOfferings);
    byId(given, 'zoneid', site.zones);
    const state = (given.text('state') ?? 'active').toLowerCase();
    const found = [...site.diskOfferings.values()].filter(
      (disk) =>
        (only === undefined || disk === only) &&
        (!given.has('name') || disk.name === given.text('name')) &&
        (state === 'all' || disk.state.toLowerCase() === state) &&
        contains(disk.name, given.text('keyword')),
    );
    return pageOf(given, settings.pageSize, 'diskoffering', found, showDisk);
  },
};

const showDisk = (disk: DiskOffering): JsonObject =>
  defined({
    id: disk.id,
    name: disk.name,
    displaytext: disk.name,
    disksize: disk.diskSize,
    created: installed,
    iscustomized: disk.customized,
    tags: disk.tags === '' ? undefined : disk.tags,
    storagetype: 'shared',
    provisioningtype: 'thin',
    cacheMode: 'none',
    displayoffering: true,
    state: disk.state,
  });

const listSSHKeyPairs: Command = {
  name: 'listSSHKeyPairs',
  isAsync: false,
  operation: 'types',
  params:
    'account:string domainid:uuid fingerprint:string id:uuid isrecursive:boolean keyword:string listall:boolean name:string page:integer pagesize:integer projectid:uuid',
  run: (call, parts) => {
    const { given } = call;
    const mine = listFilter(call, parts);
    const found = [...parts.site.keyPairs.values()].filter(
      (pair) =>
        mine(pair.owner) &&
        (!given.has('name') || pair.name === given.text('name')) &&
        contains(pair.name, given.text('keyword')),
    );
    return pageOf(given, parts.settings.pageSize, 'sshkeypair', found, ({ id, name, fingerprint, owner }) => ({
      id,
      name,
      fingerprint,
      ...keyOwner(owner, parts),
    }));
  },
};

const listSecurityGroups: Command = {
  name: 'listSecurityGroups',
  isAsync: false,
  operation: 'types',
  params:
    'account:string domainid:uuid id:uuid isrecursive:boolean keyword:string listall:boolean page:integer pagesize:integer projectid:uuid securitygroupname:string tags:map virtualmachineid:uuid',
  run: (call, parts) => {
    const { given } = call;
    const { site, settings } = parts;
    const only = byId(given, 'id', site.securityGroups);
    const mine = listFilter(call, parts);
    const found = [...site.securityGroups.values()].filter(
      (group) =>
        (only === undefined ? mine(group.owner) : group === only) &&
        (!given.has('securitygroupname') || group.name === given.text('securitygroupname')) &&
        contains(group.name, given.text('keyword')),
    );
    return pageOf(given, settings.pageSize, 'securitygroup', found, (group) => ({
      ...showSecurityGroup(group, site),
      ingressrule: [],
      egressrule: [],
      tags: [],
    }));
  },
};

/** A key pair shows its domain without the path. */
function keyOwner(owner: Parameters<typeof ownerFields>[0], { site }: Parts): JsonObject {
  const { domainpath: _, ...rest } = ownerFields(owner, site);
  return rest;
}

export const siteLists: readonly Command[] = [
  listZones,
  listNetworks,
  listTemplates,
  listServiceOfferings,
  listDiskOfferings,
  listSSHKeyPairs,
  listSecurityGroups,
];
