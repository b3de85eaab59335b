/**
 * Who is looked at, and when: what has changed, what waits for something that has changed, and what is due by the clock. One object is
 * looked at by one round at a time.
 */
import { DueHeap } from '../../shared/base/heap.ts';
import { seededRandom } from '../../shared/base/runtime.ts';
import type { KubeObject, Resource } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import { reflect } from '../../shared/kube/reflector.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { keepFlux } from './gitops.ts';
import { type AsoKind, asoKinds, gitRepositories, kustomizations } from './kinds.ts';
import { keepCluster } from './new-clusters/keep.ts';
import { type AsoObject, WriteRefused } from './object.ts';
import { freshMemory, type Memory, never, type Operator } from './operator.ts';
import { reconcile } from './reconcile.ts';

const fluxKinds: readonly Resource[] = [gitRepositories, kustomizations];
const atOnce = 8;
const retryMs = 200;
/** Longer timers overflow in Node. */
const longestTimerMs = 2 ** 31 - 1;

interface Item {
  key: string;
  /** Of an object; of a new cluster the id. */
  resource: Resource | undefined;
  kind: AsoKind | undefined;
  name: string;
  namespace: string | undefined;
}

const keyOf = ({ plural, group }: Resource, namespace: string | undefined, name: string): string =>
  `${plural}.${group}/${namespace ?? ''}/${name}`;

export class Controller {
  readonly #operator: Operator;
  readonly #items = new Map<string, Item>();
  readonly #memories = new Map<string, { uid: string; memory: Memory }>();
  readonly #dueAt = new Map<string, number>();
  readonly #heap = new DueHeap<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** Who waits for whom, by keys. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #stop = new AbortController();
  readonly #wakeByItself: boolean;
  #timer: NodeJS.Timeout | undefined;
  #changes = 0;

  constructor(operator: Operator, wakeByItself: boolean) {
    this.#operator = operator;
    this.#wakeByItself = wakeByItself;
  }

  /** Follows the cluster until it is closed. */
  watch(): Promise<void>[] {
    const { api, clock } = this.#operator;
    return this.#resources().map((resource) =>
      reflect<KubeObject>({
        api,
        resource,
        clock,
        random: seededRandom(this.#operator.seed),
        log: silentLog,
        signal: this.#stop.signal,
        onEvent: (change) => {
          const { name, namespace } = change.type === 'deleted' ? change : change.object.metadata;
          this.look(resource, namespace, name);
        },
      }),
    );
  }

  look(resource: Resource, namespace: string | undefined, name: string): void {
    const kind = asoKinds.find((one) => one.resource === resource);
    const key = keyOf(resource, namespace, name);
    if (!this.#items.has(key)) this.#items.set(key, { key, resource, kind, name, namespace });
    this.#schedule(key, this.#operator.clock.now());
  }

  lookAtCluster(id: string): void {
    const key = `cluster ${id}`;
    if (!this.#items.has(key)) {
      this.#items.set(key, { key, resource: undefined, kind: undefined, name: id, namespace: undefined });
    }
    this.#schedule(key, this.#operator.clock.now());
  }

  /** Reads everything, and lets happen what is due by the clock, until nothing more comes of it. */
  async settle(): Promise<void> {
    let before: number;
    do {
      before = this.#changes;
      for (const resource of this.#resources()) {
        const listed = await listAll<KubeObject>(
          this.#operator.api,
          resource,
          {},
          {
            onItem: ({ metadata }) => this.look(resource, metadata.namespace, metadata.name),
          },
        );
        if (!listed.ok && listed.error.kind !== 'unavailable') throw new Error(listed.error.message);
      }
      for (const { id } of this.#operator.clusters.all()) this.lookAtCluster(id);
      await this.#idle();
    } while (this.#changes !== before);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#running.values());
  }

  #resources(): Resource[] {
    return [...asoKinds.map(({ resource }) => resource), ...fluxKinds];
  }

  async #idle(): Promise<void> {
    for (;;) {
      this.#pump();
      if (this.#running.size === 0) return;
      await Promise.race(this.#running.values());
    }
  }

  #schedule(key: string, at: number): void {
    // What has changed in the meantime is planned already, and stays so.
    if (at === never) return;
    const planned = this.#dueAt.get(key);
    if (planned !== undefined && planned <= at) return;
    this.#dueAt.set(key, at);
    this.#heap.add(at, key);
    this.#arm();
  }

  #arm(): void {
    if (!this.#wakeByItself || this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    const wait = this.#heap.next - this.#operator.clock.now();
    if (wait === never) return;
    this.#timer = setTimeout(() => this.#pump(), Math.min(Math.max(0, wait), longestTimerMs));
  }

  #pump(): void {
    if (this.#stop.signal.aborted) return;
    const later: [number, string][] = [];
    while (this.#running.size < atOnce) {
      const due = this.#heap.takeDue(this.#operator.clock.now());
      if (due === undefined) break;
      // Planned anew since.
      if (this.#dueAt.get(due.value) !== due.at) continue;
      if (this.#running.has(due.value)) later.push([due.at, due.value]);
      else this.#begin(due.value);
    }
    for (const [at, key] of later) this.#heap.add(at, key);
    if (later.length === 0) this.#arm();
  }

  #begin(key: string): void {
    const item = this.#items.get(key);
    this.#dueAt.delete(key);
    if (item === undefined) return;
    const work = this.#look(item)
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return never;
        // Somebody wrote in between, or the API server was away: the next round begins afresh.
        if (!(error instanceof WriteRefused)) this.#operator.log('a round of the operator failed', { key, error });
        return this.#operator.clock.now() + (error instanceof WriteRefused && error.kind === 'conflict' ? 0 : retryMs);
      })
      .then((at) => {
        this.#running.delete(key);
        this.#schedule(key, at);
        this.#pump();
      });
    this.#running.set(key, work);
  }

  async #look({ key, resource, kind, name, namespace }: Item): Promise<number> {
    if (resource === undefined) return keepCluster(this.#operator, name);
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    const found = await this.#operator.api.get<AsoObject>(resource, ref);
    if (!found.ok) {
      if (found.error.kind !== 'not-found') return this.#operator.clock.now() + retryMs;
      if (this.#memories.delete(key)) this.#changes += 1;
      this.#items.delete(key);
      this.#wake(key);
      return never;
    }
    const { uid = '', resourceVersion } = found.value.metadata;
    const known = this.#memories.get(key);
    const memory = known?.uid === uid ? known.memory : freshMemory();
    this.#memories.set(key, { uid, memory });
    const at =
      kind === undefined
        ? await keepFlux(this.#operator, resource, found.value, memory)
        : await reconcile(this.#operator, kind, found.value, memory);
    if (memory.waitsFor !== undefined) {
      const waiting = this.#waiting.get(memory.waitsFor) ?? new Set();
      this.#waiting.set(memory.waitsFor, waiting.add(key));
    }
    // Of an owner its children want to hear in any case: they go when it goes.
    for (const owner of ownersOf(found.value))
      this.#waiting.set(owner, (this.#waiting.get(owner) ?? new Set()).add(key));
    const after = await this.#operator.api.get<AsoObject>(resource, ref);
    if (!after.ok || after.value.metadata.resourceVersion !== resourceVersion) {
      this.#changes += 1;
      this.#wake(key);
    }
    return at;
  }

  #wake(key: string): void {
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    for (const one of waiting) {
      const memory = this.#memories.get(one)?.memory;
      if (memory?.waitsFor === key) memory.dueAt = 0;
      this.#schedule(one, this.#operator.clock.now());
    }
  }
}

const ownersOf = ({ metadata }: AsoObject): string[] =>
  (metadata.ownerReferences ?? []).flatMap(({ apiVersion, kind, name }) => {
    const found = asoKinds.find(
      ({ resource }) => resource.kind === kind && resource.group === apiVersion.split('/')[0],
    );
    return found === undefined ? [] : [keyOf(found.resource, metadata.namespace, name)];
  });
