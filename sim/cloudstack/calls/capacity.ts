/** What administrators see of the hosts: how much there is and how much is taken. */
import { defined } from '../../../shared/base/defined.ts';
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Host, Zone } from '../site/types.ts';
import { timeText } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import type { Command, Parts } from './command.ts';
import { byId, contains } from './finding.ts';

/** By their numbers in listCapacity. */
const kinds = [
  [0, 'MEMORY'],
  [1, 'CPU'],
  [90, 'CPU_CORE'],
  [19, 'GPU'],
] as const;

const mib = 1024 * 1024;

function amounts(kind: number, hosts: readonly Host[], { world }: Parts): { total: number; used: number } {
  let [total, used] = [0, 0];
  for (const host of hosts) {
    const taken = world.hosts.usedOf(host);
    if (kind === 0) {
      total += host.memory * mib;
      used += taken.memory * mib;
    } else if (kind === 19) {
      for (const count of host.gpus.values()) total += count;
      for (const count of taken.gpus.values()) used += count;
    } else {
      const unit = kind === 1 ? 2000 : 1;
      total += host.cpus * unit;
      used += taken.cpus * unit;
    }
  }
  return { total, used };
}

export function capacityOf(zone: Zone, parts: Parts, tag?: string): JsonObject[] {
  const hosts = [...parts.site.hosts.values()].filter(
    (host) => host.zone === zone && host.state === 'Up' && (tag === undefined || host.tags.includes(tag)),
  );
  return kinds.map(([kind, name]) => {
    const { total, used } = amounts(kind, hosts, parts);
    return defined({
      type: kind,
      name,
      zoneid: zone.id,
      zonename: zone.name,
      capacityallocated: used,
      capacityused: used,
      capacitytotal: total,
      percentused: total === 0 ? '0' : ((used / total) * 100).toFixed(2),
      tag,
    });
  });
}

export const listCapacity: Command = {
  name: 'listCapacity',
  isAsync: false,
  adminOnly: true,
  operation: 'types',
  params:
    'clusterid:uuid fetchlatest:boolean keyword:string page:integer pagesize:integer podid:uuid sortby:string tag:string type:integer zoneid:uuid',
  run: ({ given }, parts) => {
    const zone = byId(given, 'zoneid', parts.site.zones);
    const kind = given.number('type');
    const found = [...parts.site.zones.values()]
      .filter((one) => zone === undefined || one === zone)
      .flatMap((one) => capacityOf(one, parts, given.text('tag')))
      .filter(({ type }) => kind === undefined || type === kind);
    return pageOf(given, parts.settings.pageSize, 'capacity', found, (one) => one);
  },
};

export const listHosts: Command = {
  name: 'listHosts',
  isAsync: false,
  adminOnly: true,
  operation: 'types',
  params:
    'arch:string clusterid:uuid details:list hahost:boolean hypervisor:string id:uuid keyword:string name:string page:integer pagesize:integer podid:uuid resourcestate:string state:string type:string virtualmachineid:uuid zoneid:uuid',
  run: ({ given }, parts) => {
    const only = byId(given, 'id', parts.site.hosts);
    const zone = byId(given, 'zoneid', parts.site.zones);
    const kind = given.text('type');
    const found = [...parts.site.hosts.values()].filter(
      (host) =>
        (only === undefined || host === only) &&
        (zone === undefined || host.zone === zone) &&
        (kind === undefined || kind === 'Routing') &&
        (!given.has('state') || host.state === given.text('state')) &&
        (!given.has('name') || host.name === given.text('name')) &&
        contains(host.name, given.text('keyword')),
    );
    return pageOf(given, parts.settings.pageSize, 'host', found, (host) => showHost(host, parts));
  },
};

function showHost(host: Host, { world }: Parts): JsonObject {
  const used = world.hosts.usedOf(host);
  return defined({
    id: host.id,
    name: host.name,
    state: host.state,
    type: 'Routing',
    zoneid: host.zone.id,
    zonename: host.zone.name,
    clusterid: host.clusterId,
    hypervisor: host.hypervisor,
    arch: host.arch,
    cpunumber: host.cpus,
    cpuspeed: 2000,
    cpuallocatedvalue: used.cpus * 2000,
    memorytotal: host.memory * mib,
    memoryallocated: used.memory * mib,
    hosttags: host.tags.length === 0 ? undefined : host.tags.join(','),
    resourcestate: 'Enabled',
    created: timeText(Date.UTC(2025, 0, 1)),
    hahost: false,
  });
}
