/**
 * The provider of the simulated cloud. It speaks HTTP to it like any other, so all that can go wrong on the way does.
 *
 * In a claim's life without faults it makes at most four calls: a create and, where booting takes time, a poll when it is
 * over (the cloud says when); a delete and, where deleting takes time, a poll.
 */

import type { Check } from '../../base/checks.ts';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { describeProblems, type Problem } from '../../base/problems.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type Clock, systemClock } from '../../base/runtime.ts';
import { createHttpClient, type HttpClient, type HttpQuery } from '../../net/http-client.ts';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import { labels as labelKeys, tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type {
  Adoption,
  ClaimKey,
  CreateProgress,
  CreateRequest,
  DeleteProgress,
  DeleteTarget,
  Instance,
  InstanceTags,
  Provider,
  ProviderTraits,
  Quota,
  ResolvedNodeClass,
} from '../contract.ts';
import { foundWrong, passed } from '../findings.ts';
import { instanceIdOf } from '../instance-id.ts';
import { wantedFor } from './adopt.ts';
import { problemOf, readAnswer } from './answers.ts';
import { readHandle, toHandle } from './handle.ts';
import { simNodeClasses } from './kinds.ts';
import { parseSimNodeClass } from './node-class.ts';
import { resolveSimNodeClass, selectTypes } from './resolve.ts';
import {
  instanceSchema,
  ownerOf,
  pageSchema,
  quotaSchema,
  sameOwner,
  tagsOf,
  toInstance,
  typesSchema,
  type WireInstance,
} from './wire.ts';

export interface SimProviderOptions {
  /** Where the simulated cloud listens. */
  url: string;
  /** What differs from the usual: the cloud can be told to be less helpful. */
  traits?: Partial<ProviderTraits>;
  clock?: Clock;
  /** The limit of one exchange, when the caller's own is not shorter. By default the write limit of the traits. */
  timeoutMs?: number;
  /** How many instances a list asks for at once. */
  pageSize?: number;
}

const simTraits: ProviderTraits = {
  idempotency: 'token',
  writeSeconds: 10,
  latenessSeconds: 2,
  listLagSeconds: 1,
  names: { maxLength: 63, pattern: 'dns-label', firstLetter: true },
  deadlines: { launchSeconds: 300, registrationSeconds: 900, initializationSeconds: 900 },
  abilities: ['spot', 'interruption-notices'],
  // A machine is created when it has booted, and its kubelet speaks up then.
  joinsSoon: true,
};

/** When the cloud can't say how long an operation still takes. */
const unknownWaitSeconds = 5;
/** A server that hands out page after page of nothing must not keep us for ever. */
const mostPages = 10_000;

export function createSimProvider(options: SimProviderOptions): Provider & { close(): void } {
  const client = createHttpClient({ baseUrl: options.url, userAgent: 'poolwright' });
  return new SimProvider(client, options);
}

class SimProvider implements Provider {
  readonly name = 'sim';
  readonly nodeClasses = simNodeClasses;
  readonly instanceIds = [{ pattern: '^sim:///[^/]+/([^/]+)$' }];
  readonly traits: ProviderTraits;
  readonly #client: HttpClient;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pageSize: number;
  readonly #url: string;

  constructor(client: HttpClient, options: SimProviderOptions) {
    this.#client = client;
    this.#url = URL.canParse(options.url) ? new URL(options.url).host : 'its address';
    this.#clock = options.clock ?? systemClock;
    this.traits = { ...simTraits, ...options.traits };
    this.#timeoutMs = options.timeoutMs ?? this.traits.writeSeconds * 1000;
    this.#pageSize = options.pageSize ?? 500;
  }

  async beginCreate(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const spec = parseSimNodeClass(request.nodeClass.spec);
    if (!spec.ok) {
      return invalidNodeClass(request.nodeClass.name, spec.problems);
    }
    const { image, bootSeconds, userData, tags } = spec.value;
    const { idempotency } = this.traits;
    const body: { [key: string]: Json } = {
      name: request.name,
      ...(idempotency === 'token' ? { token: request.token } : {}),
      instanceType: request.offering.instanceType,
      zone: request.offering.zone,
      capacityType: request.offering.capacityType,
      tags: { ...tags, [tagKeys.claim]: request.claimName, ...tagsOf(request.owner) },
      labels: request.labels,
      taints: request.taints.map((taint) => ({ ...taint })),
      ...defined({ image, bootSeconds, userData }),
    };
    const answer = await this.#send('POST', '/instances', signal, { body });
    if (answer.ok && answer.status === 409) {
      const inTheWay = problemOf(answer)?.instance;
      if (inTheWay !== undefined) return this.#adopt(inTheWay, request, signal);
    }
    const created = readAnswer(answer, 'write', instanceSchema, this.#clock);
    return created.ok ? this.#progressOf(created.value, request.owner, request.name) : created;
  }

  async pollCreate(handle: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const target = readHandle(handle);
    if (target === undefined) return failed('invalid', 'this is not a handle of the sim provider');
    const found = await this.#getById(target.id, signal);
    if (!found.ok) return found;
    const owner = ownerOf(found.value.tags);
    if (owner === undefined || !sameOwner(owner, target.owner)) return notOurs(target.id);
    if (found.value.state === 'deleting') {
      return failed('conflict', `instance ${target.id} is being deleted`, {
        retryAfterSeconds: found.value.remainingSeconds ?? unknownWaitSeconds,
      });
    }
    return this.#progressOf(found.value, target.owner, found.value.name);
  }

  async beginDelete(target: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    // The cloud compares the tags itself, so nothing can come between the look and the delete.
    const query = tagQuery(tagsOf(target.owner));
    const answer = await this.#send('DELETE', `/instances/${encodeURIComponent(target.id)}`, signal, { query });
    const deleted = readAnswer(answer, 'write', instanceSchema, this.#clock);
    if (!deleted.ok) return deleted.error.kind === 'not-found' ? ok({ done: true }) : deleted;
    return ok(deleteProgress(deleted.value, target.owner));
  }

  async pollDelete(handle: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    const target = readHandle(handle);
    if (target === undefined) return failed('invalid', 'this is not a handle of the sim provider');
    const found = await this.#getById(target.id, signal);
    if (!found.ok) return found.error.kind === 'not-found' ? ok({ done: true }) : found;
    // A poll never writes: whoever begins a delete looks at the claim first.
    if (found.value.state !== 'deleting' && found.value.state !== 'gone') {
      return failed('outcome-unknown', `the simulated cloud has lost the delete of ${target.id}: start it again`);
    }
    return ok(deleteProgress(found.value, target.owner));
  }

  async find(owner: Omit<InstanceTags, 'attempt'>, signal: AbortSignal): Promise<Result<Instance[]>> {
    const query = tagQuery({
      [tagKeys.deployment]: owner.deployment,
      [tagKeys.cluster]: owner.cluster,
      [tagKeys.claimUid]: owner.claimUid,
    });
    const found: Instance[] = [];
    let page: string | undefined;
    for (let pages = 0; pages < mostPages; pages++) {
      const answer = await this.#page(query, page, signal);
      if (!answer.ok) return answer;
      found.push(...answer.value.items);
      page = answer.value.next;
      if (page === undefined) return ok(found);
    }
    return failed('unavailable', `the list of the simulated cloud did not end after ${mostPages} pages`);
  }

  async get(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    providerID: string,
    signal: AbortSignal,
  ): Promise<Result<Instance>> {
    const id = instanceIdOf(this, providerID);
    if (id === undefined) return failed('not-found', `${providerID} is not an instance of the simulated cloud`);
    const found = await this.#getById(id, signal);
    if (!found.ok) return found;
    const instance = toInstance(found.value);
    if (instance === undefined || instance.providerID !== providerID) return notOurs(id);
    if (instance.owner.deployment !== owner.deployment || instance.owner.cluster !== owner.cluster) return notOurs(id);
    return ok(instance);
  }

  list(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Instance[]; next?: string }>> {
    const query = tagQuery({ [tagKeys.deployment]: owner.deployment, [tagKeys.cluster]: owner.cluster });
    return this.#page(query, page, signal);
  }

  async instanceTypes(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<InstanceType[]>> {
    const spec = parseSimNodeClass(nodeClass.spec);
    if (!spec.ok) return invalidNodeClass(nodeClass.name, spec.problems);
    const types = await this.#allTypes(signal);
    return types.ok ? ok(selectTypes(spec.value, types.value)) : types;
  }

  async resolveNodeClass(
    nodeClass: { name: string; spec: Json },
    signal: AbortSignal,
  ): Promise<Result<ResolvedNodeClass>> {
    const spec = parseSimNodeClass(nodeClass.spec);
    if (!spec.ok) {
      return ok({ ready: false, reason: 'InvalidSpec', message: describeProblems(spec.problems), resolved: {} });
    }
    const types = await this.#allTypes(signal);
    return types.ok ? ok(resolveSimNodeClass(spec.value, types.value)) : types;
  }

  async check(owner: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<Check[]> {
    const listed = await this.list(owner, undefined, signal);
    if (!listed.ok) {
      const repair = 'start the simulated cloud, and check the url of the provider';
      return [foundWrong('credentials and reachability', listed.error, repair)];
    }
    return [
      passed(
        'credentials and reachability',
        `the simulated cloud at ${this.#url} is reachable and does not authenticate callers`,
      ),
    ];
  }

  async quota(signal: AbortSignal): Promise<Result<Quota[]>> {
    const answer = await this.#send('GET', '/quota', signal);
    const read = readAnswer(answer, 'read', quotaSchema, this.#clock);
    if (!read.ok) return read;
    const { used, limit } = read.value;
    return ok(limit === null ? [] : [{ name: 'instances', used, limit, unit: 'instances' }]);
  }

  async adopt(
    claim: ClaimKey,
    providerID: string,
    { dryRun }: { dryRun: boolean },
    signal: AbortSignal,
  ): Promise<Result<Adoption>> {
    const id = instanceIdOf(this, providerID);
    if (id === undefined) return failed('not-found', `${providerID} is not an instance of the simulated cloud`);
    const found = await this.#getById(id, signal);
    if (!found.ok) return found;
    const wanted = wantedFor(found.value, providerID, claim);
    if (!wanted.ok) return wanted;
    const { tags, isOurs } = wanted.value;
    const adopted = (wire: WireInstance): Result<Adoption> => {
      const instance = toInstance({ ...wire, tags: { ...wire.tags, ...tags } });
      return instance === undefined ? notOurs(id) : ok({ instance, adopted: isOurs, tags });
    };
    if (dryRun || isOurs) return adopted(found.value);
    // The cloud refuses it if somebody else was quicker.
    const answer = await this.#send('PUT', `/instances/${encodeURIComponent(id)}/tags`, signal, { body: { tags } });
    const written = readAnswer(answer, 'write', instanceSchema, this.#clock);
    return written.ok ? adopted(written.value) : written;
  }

  close(): void {
    this.#client.close();
  }

  async #allTypes(signal: AbortSignal): Promise<Result<InstanceType[]>> {
    const answer = await this.#send('GET', '/instance-types', signal);
    const types = readAnswer(answer, 'read', typesSchema, this.#clock);
    if (!types.ok) return types;
    return ok(
      types.value.items.map((type) => ({
        name: type.name,
        labels: { [labelKeys.arch]: type.arch, [labelKeys.os]: type.os, [labelKeys.region]: type.region },
        capacity: type.capacity,
        allocatable: type.allocatable,
        offerings: type.offerings.map(({ price, available, availableAt, ...offering }) => ({
          instanceType: type.name,
          ...offering,
          price: price ?? undefined,
          available,
          ...(available ? {} : { unavailableReason: 'out of capacity' }),
          ...defined({ unavailableUntil: availableAt }),
        })),
      })),
    );
  }

  /** Something stands under the name already. It is this attempt's own work, or it is in the way. */
  async #adopt(id: string, request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const found = await this.#getById(id, signal);
    if (found.ok) return this.#progressOf(found.value, request.owner, request.name);
    // It went away between the two calls; nothing was created, and the next try may succeed.
    return found.error.kind === 'not-found'
      ? failed('conflict', `the name ${request.name} was in use a moment ago`, { retryAfterSeconds: 1 })
      : found;
  }

  /**
   * An instance that is gone or being deleted still answers the create that made it, because a cloud remembers its
   * tokens. It is not ready and never will be: the poll says so, which ends the attempt.
   */
  #progressOf(wire: WireInstance, expected: InstanceTags, name: string): Result<CreateProgress> {
    const owner = ownerOf(wire.tags);
    if (owner === undefined || !sameOwner(owner, expected)) {
      return failed('conflict', `${name} is in use by an instance of another attempt (${wire.id})`);
    }
    const instance = wire.state === 'running' ? toInstance(wire) : undefined;
    if (instance !== undefined) return ok({ done: true, instance });
    return ok({ done: false, handle: toHandle(wire.id, owner), retryAfterSeconds: waitFor(wire) });
  }

  async #getById(id: string, signal: AbortSignal): Promise<Result<WireInstance>> {
    const answer = await this.#send('GET', `/instances/${encodeURIComponent(id)}`, signal);
    return readAnswer(answer, 'read', instanceSchema, this.#clock);
  }

  async #page(
    query: HttpQuery,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Instance[]; next?: string }>> {
    const answer = await this.#send('GET', '/instances', signal, { query: { ...query, limit: this.#pageSize, page } });
    const found = readAnswer(answer, 'read', pageSchema, this.#clock);
    if (!found.ok) return found;
    const items = found.value.items.map(toInstance).filter((instance) => instance !== undefined);
    return ok({ items, ...defined({ next: found.value.next }) });
  }

  #send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    signal: AbortSignal,
    more: { body?: Json; query?: HttpQuery } = {},
  ) {
    return this.#client.request({ method, path, signal, timeoutMs: this.#timeoutMs, ...more });
  }
}

const waitFor = (wire: WireInstance): number => wire.remainingSeconds ?? unknownWaitSeconds;

const deleteProgress = (wire: WireInstance, owner: InstanceTags): DeleteProgress =>
  wire.state === 'gone'
    ? { done: true }
    : { done: false, handle: toHandle(wire.id, owner), retryAfterSeconds: waitFor(wire) };

const notOurs = (id: string): Result<never> => failed('not-found', `there is no instance ${id} of this deployment`);

const tagQuery = (tags: Record<string, string>): HttpQuery =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tag.${key}`, value]));

const invalidNodeClass = (name: string, problems: readonly Problem[]): Result<never> =>
  failed('invalid', `SimNodeClass ${name}: ${describeProblems(problems)}`, { about: 'node-class' });
