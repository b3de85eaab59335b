/**
 * A small Azure of its own: resources with tags and operations that take time, kept over restarts, and a book of everything that ever
 * existed. It knows nothing of Kubernetes.
 */
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { Timeline } from '../../kit/timeline.ts';
import { parentOf } from '../kinds.ts';
import { factsOf } from './facts.ts';
import { type AzureError, type AzureResource, keyOf, type Operation, tagsOf } from './resource.ts';
import { busy, type PutRules, refusalOf } from './rules.ts';
import type { AzureStore } from './store.ts';

export interface Put {
  id: string;
  type: string;
  body: JsonObject;
  /** How long it takes; null never ends. */
  seconds: number | null;
  failure?: { code: string; message: string };
}

export type Answer = { accepted: string } | { refused: AzureError };
export type OperationState =
  | { state: 'InProgress'; endsAt: number | null }
  | { state: 'Succeeded' }
  | { state: 'Failed'; code: string; message: string };

export interface AzureWorldParts {
  store: AzureStore;
  clock: Clock;
  tenant: string;
  rules: PutRules;
}

export class AzureWorld {
  readonly #parts: AzureWorldParts;
  readonly #timeline: Timeline;
  readonly #living = new Map<string, AzureResource>();
  #all: AzureResource[] = [];
  /** Operations by their id, also those that have ended since the start. */
  readonly #operations = new Map<string, AzureResource>();
  #seq = 0;

  constructor(parts: AzureWorldParts) {
    this.#parts = parts;
    this.#timeline = new Timeline(parts.clock, false);
    this.#all = parts.store.all();
    for (const one of this.#all) {
      this.#seq = Math.max(this.#seq, one.seq);
      if (one.last !== undefined) this.#operations.set(one.last.id, one);
      if (one.goneAt !== null) continue;
      this.#living.set(keyOf(one.id), one);
      if (one.operation !== undefined) this.#begin(one, one.operation);
    }
  }

  get(id: string): AzureResource | undefined {
    this.#timeline.settle();
    return this.#living.get(keyOf(id));
  }

  living(): AzureResource[] {
    this.#timeline.settle();
    return [...this.#living.values()];
  }

  /** Everything that ever existed, oldest first. */
  ledger(): readonly AzureResource[] {
    this.#timeline.settle();
    return this.#all;
  }

  put({ id, type, body, seconds, failure }: Put): Answer {
    this.#timeline.settle();
    const existing = this.#living.get(keyOf(id));
    const refused = refusalOf(
      { id, type, body },
      existing,
      (other) => this.#living.get(keyOf(other)),
      this.#parts.rules,
    );
    if (refused !== undefined) return { refused };
    const resource = existing ?? this.#add(id, type);
    if (existing !== undefined && !sameMarks(existing.body, body)) {
      resource.takenOver.push({ at: this.#parts.clock.now(), from: tagsOf(existing.body), to: tagsOf(body) });
    }
    resource.state = Object.keys(resource.facts).length === 0 ? 'Creating' : 'Updating';
    resource.body = body;
    resource.puts += 1;
    return { accepted: this.#start(resource, 'put', this.#hangs(resource) ? null : seconds, failure) };
  }

  remove(id: string, seconds: number | null, failure?: { code: string; message: string }): Answer | undefined {
    this.#timeline.settle();
    const resource = this.#living.get(keyOf(id));
    if (resource === undefined) return undefined;
    const group = id.split('/').slice(0, 5).join('/');
    const above = keyOf(group) === keyOf(id) ? undefined : this.#living.get(keyOf(group));
    if (above?.operation?.verb === 'delete') return { refused: { ...busy(above), code: 'ResourceGroupBeingDeleted' } };
    if (resource.operation?.verb === 'delete') return { accepted: resource.operation.id };
    // A delete does not wait for a PUT: it takes its place.
    resource.state = 'Deleting';
    return { accepted: this.#start(resource, 'delete', seconds, failure) };
  }

  /** Undefined if there is no such operation. */
  operation(id: string): OperationState | undefined {
    this.#timeline.settle();
    const resource = this.#operations.get(id);
    if (resource?.operation?.id === id) return { state: 'InProgress', endsAt: resource.operation.endsAt };
    if (resource?.last?.id !== id) return undefined;
    const { failure } = resource.last;
    return failure === undefined ? { state: 'Succeeded' } : { state: 'Failed', ...failure };
  }

  /** Tags are written beside the resource, at once, and also while something is under way. */
  setTags(id: string, tags: JsonObject): boolean {
    this.#timeline.settle();
    const resource = this.#living.get(keyOf(id));
    if (resource === undefined) return false;
    if (!sameMarks(resource.body, { tags })) {
      resource.takenOver.push({ at: this.#parts.clock.now(), from: tagsOf(resource.body), to: tags });
    }
    resource.body = { ...resource.body, tags };
    this.#parts.store.put(resource);
    return true;
  }

  /** Somebody makes it by hand, or by another tool: it is there at once. */
  makeForeign(id: string, type: string, body: JsonObject): AzureResource {
    const resource = this.#add(id, type);
    resource.body = body;
    this.#finish(resource, undefined);
    return resource;
  }

  /** Somebody deletes it, with everything in it. */
  vanish(id: string): boolean {
    this.#timeline.settle();
    const resource = this.#living.get(keyOf(id));
    if (resource !== undefined) this.#gone(resource);
    return resource !== undefined;
  }

  setPort(id: string, port: number): void {
    const resource = this.#living.get(keyOf(id));
    if (resource === undefined || resource.port === port) return;
    resource.port = port;
    this.#parts.store.put(resource);
  }

  close(): void {
    this.#timeline.close();
    this.#parts.store.close();
  }

  #add(id: string, type: string): AzureResource {
    const now = this.#parts.clock.now();
    const name = id.split('/').at(-1) ?? '';
    const resource: AzureResource = {
      seq: ++this.#seq,
      id,
      type,
      name,
      createdAt: now,
      goneAt: null,
      state: 'Creating',
      body: {},
      facts: {},
      puts: 0,
      takenOver: [],
    };
    this.#all.push(resource);
    this.#living.set(keyOf(id), resource);
    return resource;
  }

  /** A configuration of Flux whose extension is not there yet waits for it for ever. */
  #hangs({ type, id }: AzureResource): boolean {
    if (type !== 'Microsoft.KubernetesConfiguration/fluxConfigurations') return false;
    const cluster = keyOf(parentOf(id) ?? '');
    return ![...this.#living.values()].some(
      (one) =>
        one.body.extensionType === 'microsoft.flux' &&
        one.state === 'Succeeded' &&
        keyOf(one.id).startsWith(`${cluster}/`),
    );
  }

  #start(
    resource: AzureResource,
    verb: Operation['verb'],
    seconds: number | null,
    failure: { code: string; message: string } | undefined,
  ): string {
    const id = `${resource.seq}-${verb}-${resource.puts}`;
    const endsAt = seconds === null ? null : this.#parts.clock.now() + seconds * 1000;
    const operation: Operation = { id, verb, endsAt, ...(failure === undefined ? {} : { failure }) };
    resource.operation = operation;
    this.#parts.store.put(resource);
    this.#begin(resource, operation);
    this.#timeline.settle();
    return id;
  }

  #begin(resource: AzureResource, operation: Operation): void {
    this.#operations.set(operation.id, resource);
    if (operation.endsAt === null) return;
    this.#timeline.plan(operation.endsAt, () => {
      // Another one has taken its place.
      if (resource.operation?.id !== operation.id) return;
      resource.last = { id: operation.id, ...(operation.failure === undefined ? {} : { failure: operation.failure }) };
      delete resource.operation;
      if (operation.verb === 'delete' && operation.failure === undefined) this.#gone(resource);
      else this.#finish(resource, operation.failure);
    });
  }

  #finish(resource: AzureResource, failure: Operation['failure']): void {
    resource.state = failure === undefined ? 'Succeeded' : 'Failed';
    if (failure === undefined) resource.facts = factsOf(resource, this.#parts.tenant);
    this.#parts.store.put(resource);
  }

  #gone(resource: AzureResource): void {
    const key = keyOf(resource.id);
    for (const one of [...this.#living.values()]) {
      const own = keyOf(one.id);
      if (own !== key && !own.startsWith(`${key}/`)) continue;
      one.goneAt = this.#timeline.now;
      delete one.operation;
      this.#living.delete(own);
      this.#parts.store.put(one);
    }
  }
}

/** What a driver writes about itself there. */
const bookkeeping = /^poolwright-(manifest$|record-)/;

/** Whose it is, as far as tags tell: who writes other ones over them takes it from somebody. */
const sameMarks = (before: JsonObject, after: JsonObject): boolean => {
  const [was, is] = [tagsOf(before), tagsOf(after)];
  return Object.entries(was).every(([key, value]) => bookkeeping.test(key) || is[key] === value);
};
