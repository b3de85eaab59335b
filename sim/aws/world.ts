/**
 * The instances of the account over time: they start, run, are taken back and end. All of it is in memory: whoever wants
 * to know what a client does after a crash kills the client, not AWS.
 */

import type { Ids } from '../../shared/base/runtime.ts';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { Timeline } from '../kit/timeline.ts';
import type { Account } from './account.ts';
import { type EventMessage, type MessageFacts, spotWarning, stateChange } from './event-messages.ts';
import { type Ec2Instance, stateAt } from './instance.ts';
import type { AwsSettings } from './settings.ts';
import type { Filter } from './wire/filters.ts';

interface WorldOptions {
  account: Account;
  settings: AwsSettings;
  timeline: Timeline;
  ids: Ids;
  /** Called whenever a machine's kubelet may have something to do. */
  onNodeDue: (instance: Ec2Instance) => void;
  /** What EventBridge tells whoever has asked for it. */
  onMessage: (message: EventMessage) => void;
}

export class AwsWorld {
  readonly account: Account;
  readonly timeline: Timeline;
  readonly #options: WorldOptions;
  /** Everything that ever ran, oldest first. */
  readonly #ledger: Ec2Instance[] = [];
  /** What a describe can show: the living, and the dead for a while. */
  readonly #shown = new Map<string, Ec2Instance>();
  /** By `key=value` of their tags: lists by tag are what callers ask most. */
  readonly #byTag = new Map<string, Set<Ec2Instance>>();
  #living = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.account = options.account;
    this.timeline = options.timeline;
  }

  get now(): number {
    return this.timeline.now;
  }

  get ledger(): readonly Ec2Instance[] {
    return this.#ledger;
  }

  get living(): number {
    return this.#living;
  }

  get shown(): Iterable<Ec2Instance> {
    return this.#shown.values();
  }

  find(id: string): Ec2Instance | undefined {
    return this.#shown.get(id);
  }

  /** Those that the filters can fit at all; the smallest set that a tag leads to. */
  candidates(filters: readonly Filter[]): Iterable<Ec2Instance> {
    let best: Iterable<Ec2Instance> | undefined;
    let size = Number.POSITIVE_INFINITY;
    for (const { name, values } of filters) {
      const [value = ''] = values;
      if (!name.startsWith('tag:') || values.length !== 1 || /[*?]/.test(value)) continue;
      const found = this.#byTag.get(`${name.slice(4)}=${value}`) ?? new Set<Ec2Instance>();
      if (found.size >= size) continue;
      best = found;
      size = found.size;
    }
    return best ?? this.#shown.values();
  }

  get nextSeq(): number {
    return this.#ledger.length + 1;
  }

  /** It is there from now on, and runs when its plan says so. */
  add(instance: Ec2Instance): void {
    const { record } = instance;
    this.#ledger.push(instance);
    this.#shown.set(instance.id, instance);
    this.#living++;
    instance.subnet.used++;
    if (instance.reservation !== undefined) instance.reservation.used++;
    for (const [key, value] of Object.entries(instance.tags)) this.#index(instance, key, value);
    this.#tell((facts) => stateChange(facts, instance.id, 'pending'));
    const { runningAt, vanishAt, noticeAt, interruptAt } = record.plan;
    if (runningAt !== null) {
      this.timeline.plan(runningAt, (at) => {
        if (record.deletingAt !== null || record.goneAt !== null) return;
        record.runningAt = at;
        this.#tell((facts) => stateChange(facts, instance.id, 'running'));
        this.#options.onNodeDue(instance);
      });
    }
    if (vanishAt !== null) this.timeline.plan(vanishAt, () => this.vanish(instance));
    if (noticeAt !== null && interruptAt !== null) {
      this.timeline.plan(noticeAt, () => this.reclaim(instance, (interruptAt - noticeAt) / 1000));
    }
  }

  setTags(instance: Ec2Instance, tags: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(tags)) {
      const before = instance.tags[key];
      if (before !== undefined) this.#byTag.get(`${key}=${before}`)?.delete(instance);
      instance.tags[key] = value;
      this.#index(instance, key, value);
    }
  }

  /** Asked to end. An instance that is ending or has ended stays as it is. */
  terminate(
    instance: Ec2Instance,
    reason = { code: 'Client.UserInitiatedShutdown', message: 'Client.UserInitiatedShutdown: User initiated shutdown' },
    why: 'deleted' | 'interrupted' = 'deleted',
  ): void {
    const { record } = instance;
    if (record.deletingAt !== null || record.goneAt !== null) return;
    const now = this.now;
    record.deletingAt = now;
    record.deleteDueAt = now + Math.round(this.#options.settings.shutdownSeconds * 1000);
    instance.endReason = reason;
    this.#tell((facts) => stateChange(facts, instance.id, 'shutting-down'));
    this.timeline.plan(record.deleteDueAt, (at) => this.#end(instance, at, why));
  }

  /** A warning now, and the end after the notice. Nobody is warned twice. */
  reclaim(instance: Ec2Instance, noticeSeconds = this.#options.settings.spotNoticeSeconds): boolean {
    const { record } = instance;
    if (instance.warned || record.deletingAt !== null || record.goneAt !== null) return false;
    instance.warned = true;
    this.#tell((facts) => spotWarning(facts, instance.id));
    const reason = {
      code: 'Server.SpotInstanceTermination',
      message: 'Server.SpotInstanceTermination: Spot instance termination',
    };
    this.timeline.plan(this.now + Math.round(noticeSeconds * 1000), () =>
      this.terminate(instance, reason, 'interrupted'),
    );
    return true;
  }

  /** Its host has failed: it is gone at once, and nobody has asked for it. */
  vanish(instance: Ec2Instance): void {
    const { record } = instance;
    if (record.goneAt !== null) return;
    instance.endReason = { code: 'Server.InternalError', message: 'Server.InternalError: Internal error on launch' };
    record.deletingAt ??= this.now;
    this.#end(instance, this.now, 'vanished');
  }

  /** For the right of one kind of quota: the vCPUs of all living instances that count against it. */
  vcpusInUse(counts: (instance: Ec2Instance) => number): number {
    let sum = 0;
    for (const instance of this.#shown.values()) if (instance.record.goneAt === null) sum += counts(instance);
    return sum;
  }

  /** How many of an offering live. */
  inUse(type: string, zone: string, capacityType: string): number {
    let count = 0;
    for (const { record } of this.#shown.values()) {
      const { request } = record;
      if (record.goneAt !== null) continue;
      if (request.instanceType === type && request.zone === zone && request.capacityType === capacityType) count++;
    }
    return count;
  }

  claimOf(ids: readonly string[]): string | undefined {
    return ids[0] === undefined ? undefined : this.find(ids[0])?.tags[tagKeys.claimUid];
  }

  stateNow(instance: Ec2Instance): ReturnType<typeof stateAt> {
    return stateAt(instance, this.now);
  }

  #end(instance: Ec2Instance, at: number, why: 'deleted' | 'vanished' | 'interrupted'): void {
    const { record } = instance;
    if (record.goneAt !== null) return;
    record.goneAt = at;
    record.whyGone = why;
    this.#living--;
    instance.subnet.used--;
    if (instance.reservation !== undefined) instance.reservation.used--;
    this.#tell((facts) => stateChange(facts, instance.id, 'terminated'));
    this.#options.onNodeDue(instance);
    this.timeline.plan(at + Math.round(this.#options.settings.terminatedVisibleSeconds * 1000), () =>
      this.#forget(instance),
    );
  }

  #forget(instance: Ec2Instance): void {
    this.#shown.delete(instance.id);
    for (const [key, value] of Object.entries(instance.tags)) {
      const name = `${key}=${value}`;
      const others = this.#byTag.get(name);
      others?.delete(instance);
      if (others?.size === 0) this.#byTag.delete(name);
    }
  }

  #index(instance: Ec2Instance, key: string, value: string): void {
    const name = `${key}=${value}`;
    const others = this.#byTag.get(name);
    if (others === undefined) this.#byTag.set(name, new Set([instance]));
    else others.add(instance);
  }

  #tell(make: (facts: MessageFacts) => EventMessage): void {
    const { account, ids, onMessage } = this.#options;
    onMessage(make({ id: ids.next(), at: this.now, account: account.id, region: account.region }));
  }
}
