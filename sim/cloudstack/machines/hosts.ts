/** Which host takes a VM: by architecture, hypervisor, tags, room and the rules of affinity groups. Capacity is what is left of them. */
import { labelValueOf } from '../../../shared/base/kubernetes/label-syntax.ts';
import type { AffinityGroup } from '../affinity-groups.ts';
import type { CloudStackSettings } from '../settings.ts';
import type { Host, Offering, Site, Template, Zone } from '../site/types.ts';
import type { Vm } from './vm.ts';

interface Used {
  cpus: number;
  memory: number;
  gpus: Map<string, number>;
  vms: Set<Vm>;
}

export interface Wanted {
  zone: Zone;
  template: Template;
  offering: Offering;
  cpus: number;
  memory: number;
  groups: readonly AffinityGroup[];
}

const noGpus: ReadonlyMap<string, number> = new Map();

export const hostTagsOf = ({ hostTags }: Offering): string[] => hostTags.split(',').filter((tag) => tag !== '');

export class Hosts {
  readonly #site: Site;
  readonly #settings: CloudStackSettings;
  readonly #used = new Map<string, Used>();

  constructor(site: Site, settings: CloudStackSettings) {
    this.#site = site;
    this.#settings = settings;
  }

  /** Undefined when there is no room. Administrators may name the host. */
  find(wanted: Wanted, running: Iterable<Vm>, hostId?: string): Host | undefined {
    if (!this.#leftBySettings(wanted, running)) return undefined;
    let best: { host: Host; rank: number } | undefined;
    for (const host of this.#site.hosts.values()) {
      if (hostId !== undefined && host.id !== hostId) continue;
      if (!this.#takes(host, wanted)) continue;
      const rank = this.#rank(host, wanted.groups);
      if (rank === undefined) continue;
      if (best === undefined || rank > best.rank) best = { host, rank };
    }
    return best?.host;
  }

  take(vm: Vm, host: Host): void {
    vm.host = host;
    vm.lastHost = host;
    this.#change(host, vm, 1);
  }

  release(vm: Vm): void {
    if (vm.host !== undefined) this.#change(vm.host, vm, -1);
    vm.host = undefined;
  }

  usedOf(host: Host): Readonly<Used> {
    const known = this.#used.get(host.id);
    if (known !== undefined) return known;
    const fresh: Used = { cpus: 0, memory: 0, gpus: new Map(), vms: new Set() };
    this.#used.set(host.id, fresh);
    return fresh;
  }

  #change(host: Host, vm: Vm, by: 1 | -1): void {
    const used = this.usedOf(host) as Used;
    used.cpus += by * vm.cpus;
    used.memory += by * vm.memory;
    const { gpu } = vm.offering;
    if (gpu !== undefined) used.gpus.set(gpu.cardId, (used.gpus.get(gpu.cardId) ?? 0) + by * gpu.count);
    if (by > 0) used.vms.add(vm);
    else used.vms.delete(vm);
  }

  #takes(host: Host, { zone, template, offering, cpus, memory }: Wanted): boolean {
    if (host.state !== 'Up' || host.zone.id !== zone.id) return false;
    if (host.arch !== template.arch || host.hypervisor !== template.hypervisor) return false;
    const tags = hostTagsOf(offering);
    if (!tags.every((tag) => host.tags.includes(tag))) return false;
    const used = this.usedOf(host);
    if (used.cpus + cpus > host.cpus || used.memory + memory > host.memory) return false;
    const { gpu } = offering;
    if (gpu === undefined) return true;
    return (used.gpus.get(gpu.cardId) ?? 0) + gpu.count <= ((host.gpus ?? noGpus).get(gpu.cardId) ?? 0);
  }

  /** Higher is better; undefined is not at all. Without a wish, the emptier of plain hosts, so that VMs spread. */
  #rank(host: Host, groups: readonly AffinityGroup[]): number | undefined {
    const { vms, cpus } = this.usedOf(host);
    let rank = -cpus / host.cpus - host.tags.length * 10;
    for (const group of groups) {
      const here = [...vms].some((vm) => vm.affinityGroups.includes(group.id));
      const anywhere = here || this.#anyOf(group);
      if (group.type === 'host anti-affinity' && here) return undefined;
      if (group.type === 'host affinity' && anywhere && !here) return undefined;
      if (group.type === 'non-strict host anti-affinity' && here) rank -= 1000;
      if (group.type === 'non-strict host affinity' && here) rank += 1000;
    }
    return rank;
  }

  #anyOf(group: AffinityGroup): boolean {
    for (const { vms } of this.#used.values())
      for (const vm of vms) if (vm.affinityGroups.includes(group.id)) return true;
    return false;
  }

  /** What a test or a demo has said: a count by zone, and by host tag or offering. */
  #leftBySettings({ zone, offering }: Wanted, running: Iterable<Vm>): boolean {
    const { capacity } = this.#settings;
    const limits = Object.entries(capacity).filter(([key]) => covers(key, zone, offering));
    if (limits.length === 0) return true;
    const all = [...running].filter((vm) => vm.host !== undefined);
    return limits.every(([key, most]) => all.filter((vm) => covers(key, vm.zone, vm.offering)).length < most);
  }
}

/** `zone-01/gpu`, `zone-01/Large Instance`, and a star for any zone or anything: the zone's name holds no slash. */
function covers(key: string, zone: Zone, offering: Offering): boolean {
  const slash = key.indexOf('/');
  const [where, what] = [key.slice(0, slash), key.slice(slash + 1)];
  if (where !== '*' && where !== zone.name) return false;
  const names = [offering.name, labelValueOf(offering.name), ...hostTagsOf(offering)];
  return what === '*' || names.includes(what);
}
