/** A VM as CloudStack shows it, and the parts of it that other objects show too. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import type { AffinityGroup } from '../affinity-groups.ts';
import type { InstanceGroup } from '../instance-groups.ts';
import type { Owner, SecurityGroup, Site, Tags } from '../site/types.ts';
import { timeText } from '../wire/answer.ts';
import { type Nic, stateAt, stateOf, type Vm } from './vm.ts';

/** Whose it is: the account's name or the project's, never both. */
export function ownerFields(owner: Owner, site: Site): JsonObject {
  const domain = site.domains.get(owner.domainId);
  const project = owner.projectId === undefined ? undefined : site.projects.get(owner.projectId);
  return defined({
    account: project === undefined ? owner.account : undefined,
    projectid: project?.id,
    project: project?.name,
    domainid: owner.domainId,
    domain: domain?.name,
    domainpath: domain?.path,
  });
}

export const tagList = (tags: Tags, resourceType: string, resourceId: string, owner: Owner, site: Site): JsonObject[] =>
  Object.entries(tags).map(([key, value]) => ({
    key,
    value,
    resourcetype: resourceType,
    resourceid: resourceId,
    ...ownerFields(owner, site),
  }));

export interface Shown {
  site: Site;
  groups: ReadonlyMap<string, AffinityGroup>;
  instanceGroups: ReadonlyMap<string, InstanceGroup>;
  /** Administrators see hosts. */
  admin: boolean;
  /** `all`, or what `details` of the request names. */
  details: readonly string[];
  /** The state at this time; now when not given. */
  at?: number;
  withUserData?: boolean;
}

export function showVm(
  vm: Vm,
  { site, groups, instanceGroups, admin, details, at, withUserData = false }: Shown,
): JsonObject {
  const all = details.includes('all') || details.length === 0;
  const has = (part: string): boolean => all || details.includes(part);
  const { offering, template, zone, lease } = vm;
  const gpu = offering.gpu;
  const shownHost = admin ? (vm.host ?? undefined) : undefined;
  return defined({
    id: vm.id,
    name: vm.name,
    displayname: vm.displayName,
    ...ownerFields(vm.owner, site),
    userid: vm.user.userId,
    username: vm.user.userName,
    created: timeText(vm.record.createdAt),
    lastupdated: timeText(vm.states.at(-1)?.at ?? vm.record.createdAt),
    state: (at === undefined ? undefined : stateAt(vm, at)) ?? stateOf(vm),
    haenable: false,
    ...(has('group') && vm.group !== undefined
      ? { groupid: vm.group, group: instanceGroups.get(vm.group)?.name ?? '' }
      : {}),
    zoneid: zone.id,
    zonename: zone.name,
    hostid: shownHost?.id,
    hostname: shownHost?.name,
    ...(has('tmpl')
      ? {
          templateid: template.id,
          templatename: template.name,
          templatedisplaytext: template.name,
          passwordenabled: false,
        }
      : {}),
    ...(has('servoff')
      ? defined({
          serviceofferingid: offering.id,
          serviceofferingname: offering.name,
          cpunumber: vm.cpus,
          cpuspeed: vm.cpuSpeed,
          memory: vm.memory,
          gpucardid: gpu?.cardId,
          gpucardname: gpu?.cardName,
          gpucount: gpu?.count,
          vgpuprofileid: gpu?.profileId,
          vgpuprofilename: gpu?.profileName,
          vgpu: offering.details.vgpuType,
        })
      : {}),
    guestosid: template.osTypeId,
    ostypeid: template.osTypeId,
    osdisplayname: template.osTypeName,
    rootdeviceid: 0,
    rootdevicetype: 'ROOT',
    securitygroup: vm.securityGroups.map((group) => showSecurityGroup(group, site)),
    ...(has('nics') ? { nic: vm.nics.map((nic, index) => showNic(nic, String(index))) } : {}),
    ...(has('nics') && vm.nics[0]?.ip !== undefined ? { ipaddress: vm.nics[0].ip } : {}),
    hypervisor: template.hypervisor,
    arch: template.arch,
    instancename: vm.instanceName,
    ...(all ? { details: vm.details } : {}),
    ...(has('affgrp') ? { affinitygroup: vm.affinityGroups.flatMap((id) => groupFields(groups.get(id), site)) } : {}),
    displayvm: true,
    isdynamicallyscalable: false,
    deleteprotection: vm.deleteProtection,
    bootmode: vm.bootMode,
    boottype: vm.bootType,
    keypairs: vm.keyPairs.length === 0 ? undefined : vm.keyPairs.join(','),
    userdata: withUserData && vm.userData !== '' ? vm.userData : undefined,
    jobid: vm.job?.id,
    jobstatus: vm.job === undefined ? undefined : 0,
    leaseduration: lease?.duration,
    leaseexpirydate: lease === undefined ? undefined : timeText(lease.expiresAt),
    leaseexpiryaction: lease?.action,
    tags: tagList(vm.tags, 'UserVm', vm.id, vm.owner, site),
  });
}

export const showSecurityGroup = ({ id, name, description, owner }: SecurityGroup, site: Site): JsonObject => ({
  id,
  name,
  description,
  ...ownerFields(owner, site),
});

const groupFields = (group: AffinityGroup | undefined, site: Site): JsonObject[] =>
  group === undefined ? [] : [{ id: group.id, name: group.name, type: group.type, ...ownerFields(group.owner, site) }];

const showNic = ({ id, network, ip, mac, isDefault }: Nic, deviceid: string): JsonObject =>
  defined({
    id,
    networkid: network.id,
    networkname: network.name,
    netmask: network.cidr === undefined ? undefined : '255.255.0.0',
    gateway: network.cidr?.replace(/0\/\d+$/, '1'),
    ipaddress: ip,
    traffictype: 'Guest',
    type: network.type,
    isdefault: isDefault,
    macaddress: mac,
    deviceid,
    secondaryip: [],
    extradhcpoption: [],
  });
