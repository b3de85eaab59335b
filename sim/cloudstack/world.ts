/**
 * The VMs of the site over time: they start, run, stop, fail and end. All of it is in memory: whoever wants to know what
 * a client does after a crash kills the client, not CloudStack.
 */
import type { WhyGone } from '../cloud/instance.ts';
import type { Timeline } from '../kit/timeline.ts';
import type { AffinityGroup } from './affinity-groups.ts';
import type { InstanceGroup } from './instance-groups.ts';
import { Hosts } from './machines/hosts.ts';
import { isDead, stateOf, type Vm, type VmState } from './machines/vm.ts';
import type { CloudStackSettings } from './settings.ts';
import type { Host, Owner, Site } from './site/types.ts';
import { uuidOf } from './site/uuid.ts';
import type { Volume } from './volumes.ts';

interface WorldOptions {
  site: Site;
  settings: CloudStackSettings;
  timeline: Timeline;
  /** Part of every id, so that two worlds have different ones. */
  salt: string;
  /** Called whenever a machine's kubelet may have something to do. */
  onNodeDue: (vm: Vm) => void;
}

export class CloudStackWorld {
  readonly site: Site;
  readonly settings: CloudStackSettings;
  readonly timeline: Timeline;
  readonly hosts: Hosts;
  readonly groups = new Map<string, AffinityGroup>();
  readonly instanceGroups = new Map<string, InstanceGroup>();
  readonly volumes = new Map<string, Volume>();
  readonly #options: WorldOptions;
  /** Everything that was ever deployed, oldest first. */
  readonly #ledger: Vm[] = [];
  readonly #ever = new Map<string, Vm>();
  /** What was not expunged yet. */
  readonly #shown = new Map<string, Vm>();
  /** By network: names are given once in each, until their VM is expunged. */
  readonly #names = new Map<string, Map<string, Vm>>();
  readonly #addresses = new Map<string, { next: number; used: Set<number> }>();
  readonly #made = new Map<string, number>();
  #living = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.site = options.site;
    this.settings = options.settings;
    this.timeline = options.timeline;
    this.hosts = new Hosts(options.site, options.settings);
  }

  get now(): number {
    return this.timeline.now;
  }

  get ledger(): readonly Vm[] {
    return this.#ledger;
  }

  get living(): number {
    return this.#living;
  }

  get shown(): Iterable<Vm> {
    return this.#shown.values();
  }

  /** Shown or expunged. */
  everFound(id: string): Vm | undefined {
    return this.#ever.get(id);
  }

  find(id: string): Vm | undefined {
    return this.#shown.get(id);
  }

  nextId(kind: string): string {
    const count = (this.#made.get(kind) ?? 0) + 1;
    this.#made.set(kind, count);
    return uuidOf(this.#options.salt, kind, count);
  }

  after(seconds: number): number {
    return this.now + Math.round(seconds * 1000);
  }

  get nextSeq(): number {
    return this.#ledger.length + 1;
  }

  nameTaken(network: string, name: string): boolean {
    return this.#names.get(network)?.has(name) === true;
  }

  add(vm: Vm): void {
    this.#ledger.push(vm);
    this.#ever.set(vm.id, vm);
    this.#shown.set(vm.id, vm);
    this.#living++;
    for (const { network } of vm.nics) {
      const names = this.#names.get(network.id) ?? new Map<string, Vm>();
      names.set(vm.name, vm);
      this.#names.set(network.id, names);
    }
  }

  setState(vm: Vm, state: VmState): void {
    if (stateOf(vm) === state) return;
    vm.states.push({ at: this.now, state });
  }

  /** It has a host from now on and will run when its plan says so. */
  power(vm: Vm, host: Host): void {
    this.hosts.take(vm, host);
    this.setState(vm, 'Starting');
  }

  running(vm: Vm): void {
    const { record } = vm;
    this.setState(vm, 'Running');
    record.runningAt ??= this.now;
    this.#options.onNodeDue(vm);
  }

  stopped(vm: Vm, state: VmState = 'Stopped'): void {
    this.hosts.release(vm);
    this.setState(vm, state);
  }

  /** Its deploy has failed: it never ran, and its object stays until somebody destroys it. */
  broken(vm: Vm): void {
    this.stopped(vm, 'Error');
    this.#gone(vm, 'vanished');
  }

  /** Off for good unless it is recovered; its object is there until it is expunged. */
  destroyed(vm: Vm, why: WhyGone): void {
    if (isDead(stateOf(vm)) || vm.removedAt !== null) return;
    this.stopped(vm, 'Destroyed');
    this.#gone(vm, why);
    this.timeline.plan(this.after(this.settings.expungeDelaySeconds), () => {
      if (stateOf(vm) === 'Destroyed') this.expunged(vm, why);
    });
  }

  expunged(vm: Vm, why: WhyGone): void {
    if (vm.removedAt !== null) return;
    this.stopped(vm, 'Expunging');
    this.#gone(vm, why);
    vm.removedAt = this.now;
    this.#shown.delete(vm.id);
    for (const { network, ip } of vm.nics) {
      const names = this.#names.get(network.id);
      if (names?.get(vm.name) === vm) names.delete(vm.name);
      if (ip !== undefined) this.#addresses.get(network.id)?.used.delete(offsetOf(network.cidr ?? '', ip));
    }
    for (const volume of this.volumesOf(vm)) {
      if (volume.type === 'ROOT') this.volumes.delete(volume.id);
      else this.detach(volume);
    }
  }

  /** Somebody else has expunged it, with all of its disks. */
  vanish(vm: Vm): void {
    for (const { id } of this.volumesOf(vm)) this.volumes.delete(id);
    this.expunged(vm, 'vanished');
  }

  /** A destroyed VM that was wanted after all; stopped, and as expensive as before. */
  recovered(vm: Vm): void {
    const { record } = vm;
    this.setState(vm, 'Stopped');
    if (record.goneAt !== null) this.#living++;
    record.goneAt = null;
    record.whyGone = null;
    record.deletingAt = null;
  }

  volumesOf(vm: Vm): Volume[] {
    return [...this.volumes.values()].filter((volume) => volume.vm === vm);
  }

  detach(volume: Volume): void {
    volume.vm = undefined;
    volume.deviceId = undefined;
    volume.attachedAt = undefined;
  }

  /** What an owner has, for its limits. */
  usage(owner: Owner): Record<string, number> {
    const used = { user_vm: 0, cpu: 0, memory: 0, gpu: 0, volume: 0, primary_storage: 0 };
    for (const vm of this.#shown.values()) {
      const state = stateOf(vm);
      if (!sameOwner(vm.owner, owner) || isDead(state) || state === 'Error') continue;
      used.user_vm++;
      used.cpu += vm.cpus;
      used.memory += vm.memory;
      used.gpu += vm.offering.gpu?.count ?? 0;
    }
    for (const volume of this.volumes.values()) {
      if (!sameOwner(volume.owner, owner)) continue;
      used.volume++;
      used.primary_storage += volume.size;
    }
    return used;
  }

  /** The wanted address, or the next free one; undefined when there is none. */
  takeAddress(network: { id: string; cidr: string | undefined; size?: number }, wanted?: string): string | undefined {
    const { cidr } = network;
    if (cidr === undefined) return undefined;
    const pool = this.#addresses.get(network.id) ?? { next: 2, used: new Set<number>() };
    this.#addresses.set(network.id, pool);
    const size = network.size ?? 2 ** (32 - Number(cidr.split('/')[1])) - 3;
    if (wanted !== undefined) {
      const offset = offsetOf(cidr, wanted);
      if (offset < 2 || offset > size + 1 || pool.used.has(offset)) return undefined;
      pool.used.add(offset);
      return wanted;
    }
    for (let tried = 0; tried < size; tried++) {
      const offset = 2 + ((pool.next - 2 + tried) % size);
      if (pool.used.has(offset)) continue;
      pool.used.add(offset);
      pool.next = offset + 1;
      return addressAt(cidr, offset);
    }
    return undefined;
  }

  #gone(vm: Vm, why: WhyGone): void {
    const { record } = vm;
    if (record.goneAt !== null) return;
    record.goneAt = this.now;
    record.whyGone = why;
    record.deletingAt ??= this.now;
    this.#living--;
    this.#options.onNodeDue(vm);
  }
}

export const sameOwner = (one: Owner, other: Owner): boolean =>
  one.projectId === other.projectId &&
  (one.projectId !== undefined || (one.account === other.account && one.domainId === other.domainId));

const numberOf = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const offsetOf = (cidr: string, ip: string): number => numberOf(ip) - numberOf(cidr.split('/')[0] ?? '');

function addressAt(cidr: string, offset: number): string {
  const number = numberOf(cidr.split('/')[0] ?? '') + offset;
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.');
}
