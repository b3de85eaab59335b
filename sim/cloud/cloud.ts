/**
 * The simulated cloud itself, without HTTP and without faults of the wire: instances come, boot, run, are deleted or
 * vanish. Memory is the truth about the living and changes at once; every method that changes something also returns
 * when that is durable, and nobody is answered before.
 */
import { createHash } from 'node:crypto';
import { DueHeap } from '../../shared/base/heap.ts';
import type { Clock, Ids } from '../../shared/base/runtime.ts';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { MachineFault } from '../kit/faults.ts';
import { type Catalog, type CatalogType, offeringsOf } from './catalog.ts';
import { type CreateInstance, claimUidOf, type InstanceRecord, type Plan, stateAt, type WhyGone } from './instance.ts';
import { planFor } from './plan.ts';
import type { CloudSettings } from './settings.ts';
import type { CloudStore, PendingEffect } from './store.ts';

type Event =
  | { at: number; do: 'running' | 'deleted' | 'vanish' | 'notice' | 'interrupt' | 'node'; record: InstanceRecord }
  | { at: number; do: 'land'; pending: number; effect: PendingEffect };

type CreateOutcome =
  | { result: 'created' | 'found'; record: InstanceRecord; durable: Promise<void> }
  | { result: 'name-in-use'; record: InstanceRecord }
  | { result: 'token-mismatch' | 'quota' };

type DeleteOutcome =
  | { result: 'missing' }
  | { result: 'tag-mismatch' }
  | { result: 'deleting' | 'gone'; record: InstanceRecord; durable: Promise<void> };

type TagOutcome =
  | { result: 'missing' }
  | { result: 'tag-mismatch' }
  | { result: 'tagged'; record: InstanceRecord; durable: Promise<void> };

interface CloudOptions {
  settings: CloudSettings;
  catalog: Catalog;
  store: CloudStore;
  clock: Clock;
  ids: Ids;
  seed: number;
  /** Called, after the commit, whenever the machine's kubelet may have something to do. */
  onNodeDue: (record: InstanceRecord) => void;
  /** Called with the time of everything that is planned, so that somebody wakes up for it. */
  onPlanned: (at: number) => void;
  /** Called when the store refuses a write that nobody waits for. */
  onLost: (error: unknown) => void;
}

/** A Node that a kubelet made in the moment in which the process died is looked for, for so long. */
const lateNodeMs = 60_000;

export class Cloud {
  readonly settings: CloudSettings;
  readonly types: ReadonlyMap<string, CatalogType>;
  readonly #options: CloudOptions;
  readonly #store: CloudStore;
  readonly #clock: Clock;
  readonly #events = new DueHeap<Event>();
  readonly #prices = new Map<string, number | null>();
  /** In the order of their making. The lately gone stay for as long as a lagging list shows them. */
  readonly #known = new Map<string, InstanceRecord>();
  readonly #byClaim = new Map<string, Set<InstanceRecord>>();
  readonly #byName = new Map<string, InstanceRecord>();
  readonly #seqByToken = new Map<string, number>();
  readonly #latelyGone: InstanceRecord[] = [];
  #living = 0;
  #seq: number;
  #pendingSeq = 0;
  #noticeSeq: number;
  #longestLagMs: number;

  constructor(options: CloudOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.#store = options.store;
    this.#clock = options.clock;
    this.types = new Map(options.catalog.map((type) => [type.name, type]));
    for (const type of options.catalog) {
      for (const { instanceType, zone, capacityType, price } of offeringsOf(type)) {
        this.#prices.set(`${instanceType}/${zone}/${capacityType}`, price);
      }
    }
    this.#longestLagMs = options.settings.listLagSeconds * 1000;
    this.#seq = this.#store.highestSeq();
    this.#noticeSeq = this.#store.highestNotice();
  }

  get living(): number {
    return this.#living;
  }

  /** When something will happen by itself next. */
  get nextAt(): number | undefined {
    return this.#events.size > 0 ? this.#events.next : undefined;
  }

  sells(offering: { instanceType: string; zone: string; capacityType: string }): boolean {
    return this.#prices.has(`${offering.instanceType}/${offering.zone}/${offering.capacityType}`);
  }

  /** Lets everything happen that is due by now. Whoever looks at an instance calls this first. */
  settle(): void {
    const now = this.#clock.now();
    for (let event = this.#events.takeDue(now)?.value; event; event = this.#events.takeDue(now)?.value) {
      this.#happen(event);
    }
    this.#forgetGone(now);
  }

  create(request: CreateInstance, faults: readonly MachineFault[] = []): CreateOutcome {
    return this.#make(request, this.#clock.now(), planFor(request, this.settings, faults, this.#clock.now()));
  }

  delete(id: string, ifTags: Record<string, string>): DeleteOutcome {
    return this.#beginDelete(id, ifTags, this.#clock.now());
  }

  /** Adds tags, if none of them is there with another value: of two who want the same machine, one gets it. */
  tag(id: string, tags: Record<string, string>): TagOutcome {
    const record = this.get(id);
    if (record === undefined) return { result: 'missing' };
    const before = record.request.tags;
    if (Object.entries(tags).some(([key, value]) => (before[key] ?? value) !== value))
      return { result: 'tag-mismatch' };
    this.#forgetClaim(record);
    record.request = { ...record.request, tags: { ...before, ...tags } };
    this.#rememberClaim(record);
    const durable = this.#store.updateTags(record);
    durable.catch(this.#options.onLost);
    return { result: 'tagged', record, durable };
  }

  createLater(request: CreateInstance, faults: readonly MachineFault[], lateSeconds: number): Promise<void> {
    // Times in the plan are kept relative: the machine's life starts when it lands.
    const { runningAt, ...plan } = planFor(request, this.settings, faults, 0);
    const effect: PendingEffect = {
      do: 'create',
      request,
      plan: { ...plan, bootSeconds: runningAt === null ? null : runningAt / 1000 },
    };
    return this.#later(effect, lateSeconds);
  }

  deleteLater(id: string, ifTags: Record<string, string>, lateSeconds: number): Promise<void> {
    return this.#later({ do: 'delete', instance: id, ifTags }, lateSeconds);
  }

  /** Never lags. Undefined when there is no such instance any more. */
  get(id: string): InstanceRecord | undefined {
    const record = this.#known.get(id);
    return record === undefined || record.goneAt !== null ? undefined : record;
  }

  /** The world as it was `lagSeconds` ago, in pages. `next` is where to go on. */
  list(
    tags: Record<string, string>,
    lagSeconds: number,
    after: number,
    limit: number,
  ): { items: InstanceRecord[]; at: number; next?: number } {
    const at = this.#clock.now() - lagSeconds * 1000;
    const wanted = Object.entries(tags);
    const claim = tags[tagKeys.claimUid];
    const candidates = claim === undefined ? this.#known.values() : (this.#byClaim.get(claim) ?? []);
    const items: InstanceRecord[] = [];
    for (const record of candidates) {
      if (record.seq <= after || record.createdAt > at || stateAt(record, at) === 'gone') continue;
      if (!wanted.every(([key, value]) => record.request.tags[key] === value)) continue;
      if (items.length === limit) return { items, at, next: items[limit - 1]!.seq };
      items.push(record);
    }
    return { items, at };
  }

  /** Keeps the lately gone for at least so long. */
  expectLag(seconds: number): void {
    this.#longestLagMs = Math.max(this.#longestLagMs, seconds * 1000);
  }

  vanish(id: string): boolean {
    const record = this.get(id);
    if (record !== undefined) this.#end(record, this.#clock.now(), 'vanished');
    return record !== undefined;
  }

  /** The notice is given now; the machine goes when its time is over. */
  interrupt(id: string, noticeSeconds: number): boolean {
    const record = this.get(id);
    if (record === undefined) return false;
    const now = this.#clock.now();
    record.plan.noticeAt = now;
    record.plan.noticed = false;
    record.plan.interruptAt = now + Math.round(noticeSeconds * 1000);
    this.#plan({ at: now, do: 'notice', record });
    this.#save(record);
    this.settle();
    return true;
  }

  nodeStageReached(record: InstanceRecord, stage: InstanceRecord['nodeStage']): Promise<void> {
    record.nodeStage = stage;
    return this.#store.update(record);
  }

  /** Has the kubelet looked at again at that time. */
  planNode(record: InstanceRecord, at: number): void {
    this.#plan({ at, do: 'node', record });
  }

  #make(request: CreateInstance, at: number, plan: Plan): CreateOutcome {
    const { idempotency, quota } = this.settings;
    if (idempotency === 'token' && request.token !== undefined) {
      const seq = this.#seqByToken.get(request.token);
      const earlier = seq === undefined ? undefined : this.#store.bySeq(seq);
      if (earlier !== undefined) {
        const record = this.#known.get(earlier.id) ?? earlier;
        if (!sameOffering(record.request, request)) return { result: 'token-mismatch' };
        return { result: 'found', record, durable: Promise.resolve() };
      }
    }
    if (idempotency === 'name') {
      const namesake = this.#byName.get(request.name);
      if (namesake !== undefined) return { result: 'name-in-use', record: namesake };
    }
    if (quota !== null && this.#living >= quota) return { result: 'quota' };
    const record = this.#newRecord(request, at, plan);
    this.#remember(record);
    if (request.token !== undefined) this.#seqByToken.set(request.token, record.seq);
    const durable = this.#store.insert(record);
    // A machine that came up without anybody knowing that it exists would be the one thing that no real cloud does.
    durable.then(() => this.#planLife(record), this.#options.onLost);
    return { result: 'created', record, durable };
  }

  #newRecord(request: CreateInstance, at: number, plan: Plan): InstanceRecord {
    const seq = ++this.#seq;
    const digest = createHash('sha256')
      .update(`${this.#options.seed}/${seq}/${this.#options.ids.next()}`)
      .digest('hex');
    return {
      seq,
      id: `i-${digest.slice(0, 17)}`,
      request,
      price: this.#prices.get(`${request.instanceType}/${request.zone}/${request.capacityType}`) ?? null,
      plan,
      createdAt: at,
      // A machine that needs no time to boot runs before anybody is told that it exists.
      runningAt: plan.runningAt !== null && plan.runningAt <= at ? at : null,
      deletingAt: null,
      deleteDueAt: null,
      goneAt: null,
      whyGone: null,
      nodeStage: 'none',
    };
  }

  #beginDelete(id: string, ifTags: Record<string, string>, at: number): DeleteOutcome {
    const record = this.get(id);
    if (record === undefined) return { result: 'missing' };
    if (!Object.entries(ifTags).every(([key, value]) => record.request.tags[key] === value)) {
      return { result: 'tag-mismatch' };
    }
    if (record.deletingAt !== null) return { result: 'deleting', record, durable: Promise.resolve() };
    record.deletingAt = at;
    record.deleteDueAt = at + Math.round(this.settings.deleteSeconds * 1000);
    if (record.deleteDueAt <= at) return { result: 'gone', record, durable: this.#end(record, at, 'deleted') };
    this.#plan({ at: record.deleteDueAt, do: 'deleted', record });
    return { result: 'deleting', record, durable: this.#save(record) };
  }

  async #later(effect: PendingEffect, lateSeconds: number): Promise<void> {
    const pending = ++this.#pendingSeq;
    const at = this.#clock.now() + Math.round(lateSeconds * 1000);
    await this.#store.addPending(pending, at, effect);
    this.#plan({ at, do: 'land', pending, effect });
  }

  #happen(event: Event): void {
    switch (event.do) {
      case 'land':
        this.#land(event);
        break;
      case 'running':
        if (event.record.deletingAt !== null || event.record.goneAt !== null) break;
        event.record.runningAt = event.at;
        this.#save(event.record);
        this.#options.onNodeDue(event.record);
        break;
      case 'deleted':
        this.#endOnce(event.record, event.at, 'deleted');
        break;
      case 'vanish':
        this.#endOnce(event.record, event.at, 'vanished');
        break;
      case 'interrupt':
        // A later notice may have moved the end.
        if (event.record.plan.interruptAt === event.at) this.#endOnce(event.record, event.at, 'interrupted');
        break;
      case 'notice':
        this.#giveNotice(event.record, event.at);
        break;
      case 'node':
        this.#options.onNodeDue(event.record);
        break;
    }
  }

  #land({ at, pending, effect }: Extract<Event, { do: 'land' }>): void {
    if (effect.do === 'delete') this.#beginDelete(effect.instance, effect.ifTags, at);
    else {
      const { bootSeconds, ...plan } = effect.plan;
      const shift = (time: number | null) => (time === null ? null : time + at);
      this.#make(effect.request, at, {
        ...plan,
        runningAt: bootSeconds === null ? null : at + Math.round(bootSeconds * 1000),
        vanishAt: shift(plan.vanishAt),
        noticeAt: shift(plan.noticeAt),
        interruptAt: shift(plan.interruptAt),
      });
    }
    // In the same commit as the effect itself, because both are written in this turn: it lands once.
    this.#store.dropPending(pending).catch(this.#options.onLost);
  }

  #giveNotice(record: InstanceRecord, at: number): void {
    const { interruptAt } = record.plan;
    if (record.goneAt !== null || record.plan.noticed || record.plan.noticeAt !== at || interruptAt === null) return;
    record.plan.noticed = true;
    this.#save(record);
    const notice = { seq: ++this.#noticeSeq, instance: record.id, at, goneAt: interruptAt };
    this.#store.addNotice(notice).catch(this.#options.onLost);
    this.#plan({ at: interruptAt, do: 'interrupt', record });
  }

  #endOnce(record: InstanceRecord, at: number, why: WhyGone): void {
    if (record.goneAt === null) this.#end(record, at, why);
  }

  #end(record: InstanceRecord, at: number, why: WhyGone): Promise<void> {
    record.goneAt = at;
    record.whyGone = why;
    this.#living--;
    if (this.#byName.get(record.request.name) === record) this.#byName.delete(record.request.name);
    this.#latelyGone.push(record);
    const durable = this.#save(record);
    durable.then(() => this.#options.onNodeDue(record), this.#options.onLost);
    return durable;
  }

  #save(record: InstanceRecord): Promise<void> {
    const durable = this.#store.update(record);
    durable.catch(this.#options.onLost);
    return durable;
  }

  #remember(record: InstanceRecord): void {
    this.#known.set(record.id, record);
    this.#rememberClaim(record);
    if (record.goneAt !== null) return;
    this.#living++;
    if (this.settings.idempotency === 'name') this.#byName.set(record.request.name, record);
  }

  #rememberClaim(record: InstanceRecord): void {
    const claim = claimUidOf(record);
    if (claim === undefined) return;
    const siblings = this.#byClaim.get(claim);
    if (siblings === undefined) this.#byClaim.set(claim, new Set([record]));
    else siblings.add(record);
  }

  #forgetClaim(record: InstanceRecord): void {
    const claim = claimUidOf(record);
    const siblings = claim === undefined ? undefined : this.#byClaim.get(claim);
    siblings?.delete(record);
    if (claim !== undefined && siblings?.size === 0) this.#byClaim.delete(claim);
  }

  /** The dead leave memory when no list can show them any more; the ledger keeps them. */
  #forgetGone(now: number): void {
    while (this.#latelyGone.length > 0) {
      const [record] = this.#latelyGone;
      if (record === undefined || record.goneAt === null || record.goneAt + this.#longestLagMs > now) return;
      this.#latelyGone.shift();
      this.#known.delete(record.id);
      this.#forgetClaim(record);
    }
  }

  #plan(event: Event): void {
    this.#events.add(event.at, event);
    this.#options.onPlanned(event.at);
  }

  /** Everything that time alone will do to it. Called for a new one and, after a restart, for each that is stored. */
  #planLife(record: InstanceRecord): void {
    const { plan } = record;
    if (record.goneAt === null) {
      if (record.deleteDueAt !== null) this.#plan({ at: record.deleteDueAt, do: 'deleted', record });
      else if (record.runningAt === null && plan.runningAt !== null) {
        this.#plan({ at: plan.runningAt, do: 'running', record });
      }
      if (plan.vanishAt !== null) this.#plan({ at: plan.vanishAt, do: 'vanish', record });
      if (plan.noticed && plan.interruptAt !== null) this.#plan({ at: plan.interruptAt, do: 'interrupt', record });
      else if (plan.noticeAt !== null) this.#plan({ at: plan.noticeAt, do: 'notice', record });
    }
    if (record.runningAt !== null) this.#options.onNodeDue(record);
  }

  /** Takes up what an earlier process left. Call it once, before anything else. */
  load(): void {
    const gone: InstanceRecord[] = [];
    const goneAfter = this.#clock.now() - Math.max(this.#longestLagMs, lateNodeMs);
    for (const record of this.#store.loadRelevant(goneAfter)) {
      this.#remember(record);
      if (record.goneAt !== null) gone.push(record);
      this.#planLife(record);
    }
    this.#latelyGone.push(...gone.sort((a, b) => (a.goneAt ?? 0) - (b.goneAt ?? 0)));
    if (this.settings.idempotency === 'token') {
      for (const { token, seq } of this.#store.loadTokens()) this.#seqByToken.set(token, seq);
    }
    for (const { id, dueAt, effect } of this.#store.loadPending()) {
      this.#pendingSeq = Math.max(this.#pendingSeq, id);
      this.#plan({ at: dueAt, do: 'land', pending: id, effect });
    }
  }
}

const sameOffering = (one: CreateInstance, other: CreateInstance): boolean =>
  one.instanceType === other.instanceType && one.zone === other.zone && one.capacityType === other.capacityType;
