/**
 * The provider over agent pools: one claim, one pool of one node. Written once for AKS and Arc; in what they differ stands in
 * `kind.ts` and in their clients.
 *
 * In a life without faults it asks ARM for: the create (on Arc a look before it), its operation until that is over, a look and
 * the delete, and that operation. The Node is asked of the cluster, not of ARM, and what was seen gone a moment ago is not
 * looked for again.
 */

import type { Check } from '../../../base/checks.ts';
import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { didYouMean } from '../../../base/nearest.ts';
import { describeProblems, quoteInput } from '../../../base/problems.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import { claimScopedName } from '../../../nodes/claims/attempt/names.ts';
import type { InstanceType, OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import { isAllowedName } from '../../../nodes/claims/spec/name-limits.ts';
import type { Size } from '../../../platforms/azure/catalog/size.ts';
import { azureCodes } from '../../../platforms/azure/error-rules.ts';
import type { ProviderContext } from '../../context.ts';
import type {
  ClaimKey,
  CreateProgress,
  CreateRequest,
  DeleteProgress,
  DeleteTarget,
  Instance,
  InstanceTags,
  Provider,
  Quota,
  ResolvedNodeClass,
} from '../../contract.ts';
import { instanceIdOf } from '../../instance-id.ts';
import type { AgentPools, BegunOperation, Pool } from '../agent-pools.ts';
import { withScope } from '../catalog/unavailable.ts';
import { type PoolFacts, type PoolSettings, poolFacts } from './facts.ts';
import { type CreateHandle, type DeleteHandle, readCreateHandle, readDeleteHandle, toHandle } from './handle.ts';
import { canRun, handleFor, instanceOf, isDeleting, isEmpty, isFailed, toInstance } from './instance.ts';
import type { PoolKind } from './kind.ts';
import { creationLabel, creationTime, reportedLabels } from './labels.ts';
import { nodeOf, pickNode } from './nodes.ts';
import { failedPool, finalFailure, isTelling } from './outcome.ts';
import {
  describeOwner,
  isOfAttempt,
  mayDelete,
  ownerForClaim,
  ownerInDeployment,
  type PoolOwner,
} from './ownership.ts';
import { resolvePoolClass } from './resolve.ts';
import { SeenGone } from './seen-gone.ts';
import { type Mapped, wishFor } from './wish.ts';

/** What Azure sells; shared with the node class, which says how large a disk and how many pods. */
export interface PoolCatalog {
  /** What its quotas and its stock hold for: all its types have it as a label. */
  readonly place: string;
  instanceTypes(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<InstanceType[]>>;
  /** `quota-exceeded` when the offering does not fit into what is left; any other failure means that nobody knows. */
  checkQuota(offering: OfferingRef, holder: string, signal: AbortSignal): Promise<Result<void>>;
  /** Absent: the location sets no limits. */
  quota?(signal: AbortSignal): Promise<Result<Quota[]>>;
  /** The size, if the catalog was read and has it. */
  size(name: string): Size | undefined;
  close(): void;
}

export interface PoolProviderOptions {
  kind: PoolKind;
  pools: AgentPools;
  catalog: PoolCatalog;
  context: Pick<ProviderContext, 'nodes' | 'log' | 'clock'>;
  options: PoolSettings;
  /** Asks Azure whether it could work; absent where nobody can ask. */
  check?: ((signal: AbortSignal) => Promise<Check[]>) | undefined;
}

/** When Azure does not say when to ask again. */
const usualPauseSeconds = 5;
/** A server that asks for no pause at all still gets one. */
const shortestPauseSeconds = 0.2;
/** The pool is there and the operation over: the Node is a matter of moments. */
const nodePauseSeconds = 2;

export function createPoolProvider(options: PoolProviderOptions): Provider & { close(): void } {
  return new PoolProvider(options);
}

class PoolProvider implements Provider {
  readonly name: string;
  readonly nodeClasses: PoolFacts['nodeClasses'];
  readonly traits: PoolFacts['traits'];
  readonly serves: PoolFacts['serves'];
  readonly expires: PoolFacts['expires'];
  readonly instanceIds: PoolFacts['instanceIds'];
  readonly #kind: PoolKind;
  readonly #pools: AgentPools;
  readonly #catalog: PoolCatalog;
  readonly #context: PoolProviderOptions['context'];
  readonly #gone: SeenGone;
  readonly #check: PoolProviderOptions['check'];
  readonly #mayBeAbsent: boolean;

  constructor({ kind, pools, catalog, context, options, check }: PoolProviderOptions) {
    this.#check = check;
    this.#mayBeAbsent = options.clusterMayBeAbsent ?? false;
    const facts = poolFacts(kind, options);
    this.name = facts.name;
    this.nodeClasses = facts.nodeClasses;
    this.traits = facts.traits;
    this.serves = facts.serves;
    this.expires = facts.expires;
    this.instanceIds = facts.instanceIds;
    this.#kind = kind;
    this.#pools = pools;
    this.#catalog = catalog;
    this.#context = context;
    this.#gone = new SeenGone(context.clock, this.traits.listLagSeconds);
  }

  async beginCreate(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const mapped = this.#map(request);
    if (!mapped.ok) return mapped;
    if (signal.aborted) return stopped();
    if (!this.#pools.conditional) {
      // Between this look and the write somebody else may make a pool of the name; docs/providers/arc.md says what then.
      const looked = await this.#pools.get(request.name, signal);
      if (looked.ok) return this.#goOnWith(looked.value, request, signal);
      if (looked.error.kind !== 'not-found') return looked;
    }
    const quota = await this.#catalog.checkQuota(request.offering, request.name, signal);
    if (!quota.ok && quota.error.kind === 'quota-exceeded') return this.#whatIsThere(request, quota, signal);
    if (signal.aborted) return stopped();
    if (mapped.value.warning !== undefined) {
      this.#context.log.write('azure.image-family.unknown', {
        claim: request.claimName,
        family: mapped.value.warning,
        used: mapped.value.wish.osSku,
      });
    }
    this.#gone.forget(request.name);
    const begun = await this.#pools.put(request.name, mapped.value.wish, { ifAbsent: this.#pools.conditional }, signal);
    if (!begun.ok) {
      if (begun.error.kind === 'conflict') return this.#whatIsThere(request, begun, signal);
      return (await this.#unknownSize(begun.error, request, signal)) ?? this.#refused(begun.error, request.offering);
    }
    return this.#begun(request, mapped.value, begun.value);
  }

  async pollCreate(handle: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const read = readCreateHandle(handle, this.#kind.name);
    if (!read.ok) return read;
    const created = read.value;
    if (created.operation !== undefined) {
      const asked = await this.#pools.operation(created.operation, signal);
      if (!asked.ok && asked.error.kind !== 'not-found') return asked;
      if (asked.ok && asked.value.state === 'running') {
        return ok({ done: false, handle, retryAfterSeconds: pauseOf(asked.value.retryAfterSeconds) });
      }
      if (asked.ok && asked.value.state === 'failed') {
        const { failure } = asked.value;
        if (isTelling(failure)) return this.#refused(failure, created.offering);
        // Somebody who deletes a pool ends its create as well: then there is no failure to tell, but a pool that is gone.
        const looked = await this.#lookAt(created, signal);
        return looked.ok ? finalFailure(failure) : looked;
      }
      if (asked.ok) {
        const node = await nodeOf(this.#context.nodes, this.#kind, created.pool, created.owner, signal);
        if (!node.ok) return node;
        if (node.value !== undefined) {
          return ok({ done: true, instance: instanceOf(this.#kind, created, node.value, 'running') });
        }
      }
    }
    const looked = await this.#lookAt(created, signal);
    return looked.ok ? this.#progress(looked.value, created, signal) : looked;
  }

  async beginDelete(target: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    if (signal.aborted) return stopped();
    // No pool was ever called that.
    if (!isAllowedName(target.id, this.traits.names)) return ok({ done: true });
    const handle: DeleteHandle = {
      v: 1,
      of: this.#kind.name,
      do: 'delete',
      pool: target.id,
      owner: target.owner,
      ...defined({ createdAt: target.createdAt }),
    };
    const before = await this.#lookToDelete(target, handle, signal);
    if (!before.ok) return before;
    if (before.value.progress !== undefined) return ok(before.value.progress);
    const { pool } = before.value;
    const etag = pool.etag === undefined ? {} : { etag: pool.etag };
    const begun = await this.#pools.delete(target.id, etag, signal);
    if (begun.ok) return ok(deleteProgress(handle, begun.value));
    if (begun.error.kind === 'not-found') return ok({ done: true });
    if (begun.error.kind !== 'conflict') return begun;
    // Somebody was quicker. If it was a delete, it is what we wanted.
    const after = await this.#lookToDelete(target, handle, signal);
    if (!after.ok) return after;
    return after.value.progress === undefined ? begun : ok(after.value.progress);
  }

  async pollDelete(handle: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    const read = readDeleteHandle(handle, this.#kind.name);
    if (!read.ok) return read;
    const { operation, pool: name, owner, createdAt } = read.value;
    let why = 'it is unknown whether it was started';
    if (operation !== undefined) {
      const asked = await this.#pools.operation(operation, signal);
      if (!asked.ok && asked.error.kind !== 'not-found') return asked;
      if (asked.ok && asked.value.state === 'running') {
        return ok({ done: false, handle, retryAfterSeconds: pauseOf(asked.value.retryAfterSeconds) });
      }
      if (asked.ok && asked.value.state === 'succeeded') return this.#isGone(name, owner);
      if (asked.ok && asked.value.state === 'failed') why = asked.value.failure.message;
    }
    const found = await this.#pools.get(name, signal);
    if (!found.ok) return found.error.kind === 'not-found' ? this.#isGone(name, owner) : found;
    // A namesake that came after it: what was deleted is gone.
    if (!isOfAttempt(found.value, owner, createdAt)) return ok({ done: true });
    if (isDeleting(found.value)) {
      const { operation: _, ...rest } = read.value;
      return ok({ done: false, handle: toHandle(rest), retryAfterSeconds: usualPauseSeconds });
    }
    this.#context.log.write('azure.delete.failed', { pool: name, problem: why });
    return failed('outcome-unknown', `the delete of agent pool ${name} did not succeed (${why}): start it again`);
  }

  async find(claim: ClaimKey, signal: AbortSignal): Promise<Result<Instance[]>> {
    if (signal.aborted) return stopped();
    const name = claimScopedName({ claimName: claim.claimName, uid: claim.claimUid }, this.traits.names);
    if (this.#gone.has(name, claim.claimUid)) return ok([]);
    const found = await this.#pools.get(name, signal);
    if (!found.ok) return found.error.kind === 'not-found' ? ok([]) : found;
    const whose = ownerForClaim(found.value, claim);
    if (whose === undefined) return ok([]);
    const instance = await this.#withNode(found.value, whose, signal);
    return instance.ok ? ok([instance.value]) : instance;
  }

  async get(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    providerID: string,
    signal: AbortSignal,
  ): Promise<Result<Instance>> {
    if (signal.aborted) return stopped();
    const name = instanceIdOf(this, providerID);
    if (name === undefined)
      return failed('not-found', `${providerID} is not an instance of this cluster's agent pools`);
    const found = await this.#pools.get(name, signal);
    if (!found.ok) return found;
    const whose = ownerInDeployment(found.value, owner);
    if (whose === undefined) return failed('not-found', `there is no agent pool ${name} of this deployment`);
    // `find` still shows the pool: it is deleted, and not used for another machine.
    if (isEmpty(found.value)) return emptied(name);
    return this.#withNode(found.value, whose, signal);
  }

  async list(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Instance[]; next?: string }>> {
    if (signal.aborted) return stopped();
    const listed = await this.#pools.list(page, signal);
    if (!listed.ok) return this.#isAbsent(listed.error) ? ok({ items: [] }) : listed;
    const { items: pools, next } = listed.value;
    const ours = pools.flatMap((pool) => {
      const whose = ownerInDeployment(pool, owner);
      // What was taken over is its claim's as long as that lives; nobody collects it as garbage.
      return whose === undefined || whose.owner.claimUid === '' ? [] : [{ pool, whose }];
    });
    const nodes = ours.length === 0 ? ok([]) : await this.#context.nodes.list(this.#kind.nodes.ofAll, signal);
    if (!nodes.ok) return nodes;
    const items = ours.map(({ pool, whose }) =>
      toInstance(this.#kind, pool, whose, pickNode(nodes.value, this.#kind, pool.name, whose.owner)),
    );
    return ok({ items, ...defined({ next }) });
  }

  async instanceTypes(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<InstanceType[]>> {
    const parsed = this.#kind.parseNodeClass(nodeClass.spec);
    if (!parsed.ok) {
      const wrong = describeProblems(parsed.problems);
      return failed('invalid', `node class ${nodeClass.name}: ${wrong}`, { about: 'node-class' });
    }
    if (signal.aborted) return stopped();
    return this.#catalog.instanceTypes(nodeClass, signal);
  }

  async resolveNodeClass(
    nodeClass: { name: string; spec: Json },
    signal: AbortSignal,
  ): Promise<Result<ResolvedNodeClass>> {
    const parsed = this.#kind.parseNodeClass(nodeClass.spec);
    if (!parsed.ok) {
      return ok({ ready: false, reason: 'InvalidSpec', message: describeProblems(parsed.problems), resolved: {} });
    }
    const types = await this.#catalog.instanceTypes(nodeClass, signal);
    return types.ok ? ok(resolvePoolClass(parsed.value, types.value)) : types;
  }

  async check(_: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<Check[]> {
    if (this.#mayBeAbsent) {
      const listed = await this.#pools.list(undefined, signal);
      if (!listed.ok && this.#isAbsent(listed.error)) {
        const message =
          'Azure has no such cluster, or the identity may not see it; claims go to this provider only if settings.azure.providerType names it';
        return [{ name: 'cluster', state: 'pass', message }];
      }
    }
    return (await this.#check?.(signal)) ?? [];
  }

  async quota(signal: AbortSignal): Promise<Result<Quota[]>> {
    return (await this.#catalog.quota?.(signal)) ?? ok([]);
  }

  close(): void {
    this.#catalog.close();
    this.#pools.close();
  }

  /** Azure refuses a stranger before it says that there is no such cluster. */
  #isAbsent({ code, kind }: Failure): boolean {
    return this.#mayBeAbsent && (code === azureCodes.noCluster || kind === 'unauthorised');
  }

  /** Azure says the same of a size that it does not sell to this subscription and of one that there never was. */
  async #unknownSize(
    failure: Failure,
    { offering, nodeClass }: CreateRequest,
    signal: AbortSignal,
  ): Promise<Result<never> | undefined> {
    if (failure.kind !== 'insufficient-capacity') return undefined;
    const types = await this.#catalog.instanceTypes(nodeClass, signal);
    const names = types.ok ? types.value.map(({ name }) => name) : [];
    if (names.length === 0 || names.includes(offering.instanceType)) return undefined;
    const hint = didYouMean(offering.instanceType, names);
    return failed('invalid', `there is no size ${quoteInput(offering.instanceType)} here${hint}`, {
      cause: failure.message,
    });
  }

  /** What a refusal says about one size may hold for others: they share a quota. */
  #refused(failure: Failure, offering: OfferingRef): Result<never> {
    const size = this.#catalog.size(offering.instanceType);
    return { ok: false, error: withScope(failure, offering, size, this.#catalog.place) };
  }

  #isGone(pool: string, { claimUid }: InstanceTags): Result<DeleteProgress> {
    this.#gone.note(pool, claimUid);
    return ok({ done: true });
  }

  #map(request: CreateRequest): Result<Mapped> {
    const { nodeClass } = request;
    const parsed = this.#kind.parseNodeClass(nodeClass.spec);
    if (!parsed.ok) {
      const wrong = describeProblems(parsed.problems);
      return failed('invalid', `node class ${nodeClass.name}: ${wrong}`, { about: 'node-class' });
    }
    const mapped = wishFor(request, parsed.value, this.#kind.pool);
    return mapped.ok ? ok(mapped.value) : failed('invalid', describeProblems(mapped.problems));
  }

  #begun(
    { owner, claimName, claim, name, offering }: CreateRequest,
    { wish }: Mapped,
    begun: BegunOperation,
  ): Result<CreateProgress> {
    const createdAt = creationTime(creationLabel(claim.createdAt));
    const image = begun.pool?.nodeImageVersion;
    const handle: CreateHandle = {
      v: 1,
      of: this.#kind.name,
      do: 'create',
      pool: name,
      owner,
      claimName,
      offering,
      labels: reportedLabels(wish.labels),
      ...defined({ createdAt, imageID: image, operation: begun.operation }),
    };
    return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: pauseOf(begun.retryAfterSeconds) });
  }

  /** A refusal may be about this attempt's own pool, made by a call whose answer was lost; else it stands. */
  async #whatIsThere(
    request: CreateRequest,
    refused: Result<never>,
    signal: AbortSignal,
  ): Promise<Result<CreateProgress>> {
    const looked = await this.#pools.get(request.name, signal);
    // Nothing is there, or nobody can tell: the refusal is the safe answer to both.
    return looked.ok ? this.#goOnWith(looked.value, request, signal) : refused;
  }

  /** Something stands under the name already. It is this attempt's own work, or it is in the way. */
  async #goOnWith(pool: Pool, request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const { owner, claimName, claim } = request;
    if (!isOfAttempt(pool, owner, claim.createdAt)) {
      const advice = 'Poolwright does not touch it; wait until it is deleted, or use another claim name';
      return failed('conflict', `agent pool ${pool.name} already exists, and it is ${describeOwner(pool)}: ${advice}`, {
        lasting: true,
      });
    }
    if (isDeleting(pool)) return beingDeleted(pool);
    const handle = handleFor(this.#kind, pool, { owner, claimName });
    // Its poll says why, and that ends the attempt in the usual way.
    if (isFailed(pool) || isEmpty(pool)) {
      return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: shortestPauseSeconds });
    }
    return this.#progress(pool, handle, signal);
  }

  /** The pool of a create: `not-found`, `conflict`, or the reason why it failed, where it is no longer on its way. */
  async #lookAt({ pool: name, owner, createdAt }: CreateHandle, signal: AbortSignal): Promise<Result<Pool>> {
    const found = await this.#pools.get(name, signal);
    if (!found.ok) return found;
    if (!isOfAttempt(found.value, owner, createdAt)) {
      return failed('not-found', `agent pool ${name} is now ${describeOwner(found.value)}`);
    }
    return isDeleting(found.value) ? beingDeleted(found.value) : found;
  }

  async #progress(pool: Pool, handle: CreateHandle, signal: AbortSignal): Promise<Result<CreateProgress>> {
    if (isFailed(pool)) return failedPool(pool);
    if (isEmpty(pool)) return emptied(pool.name);
    const unfinished = { done: false as const, handle: toHandle(handle) };
    if (!canRun(pool)) return ok({ ...unfinished, retryAfterSeconds: usualPauseSeconds });
    const node = await nodeOf(this.#context.nodes, this.#kind, handle.pool, handle.owner, signal);
    if (!node.ok) return node;
    if (node.value === undefined)
      return ok({ ...unfinished, retryAfterSeconds: nodePauseSeconds, operationEnded: true });
    return ok({ done: true, instance: instanceOf(this.#kind, handle, node.value, 'running') });
  }

  /** What is there to be deleted, or how far that is already. */
  async #lookToDelete(
    target: DeleteTarget,
    handle: DeleteHandle,
    signal: AbortSignal,
  ): Promise<Result<{ pool: Pool; progress?: undefined } | { progress: DeleteProgress }>> {
    const found = await this.#pools.get(target.id, signal);
    if (!found.ok) return found.error.kind === 'not-found' ? ok({ progress: { done: true } }) : found;
    if (!mayDelete(found.value, target)) {
      return failed('invalid', `agent pool ${target.id} is ${describeOwner(found.value)}: it is not deleted`);
    }
    if (!isDeleting(found.value)) return ok({ pool: found.value });
    return ok({ progress: { done: false, handle: toHandle(handle), retryAfterSeconds: usualPauseSeconds } });
  }

  async #withNode(pool: Pool, whose: PoolOwner, signal: AbortSignal): Promise<Result<Instance>> {
    const node = await nodeOf(this.#context.nodes, this.#kind, pool.name, whose.owner, signal);
    return node.ok ? ok(toInstance(this.#kind, pool, whose, node.value)) : node;
  }
}

/** What Azure asks for, even if it is long; else no longer than usual. */
const pauseOf = (asked: number | undefined): number => Math.max(asked ?? usualPauseSeconds, shortestPauseSeconds);

function deleteProgress(handle: DeleteHandle, { operation, retryAfterSeconds }: BegunOperation): DeleteProgress {
  const known = operation === undefined ? handle : { ...handle, operation };
  return { done: false, handle: toHandle(known), retryAfterSeconds: pauseOf(retryAfterSeconds) };
}

const emptied = (name: string): Result<never> =>
  failed('not-found', `agent pool ${name} is empty: Azure reclaimed its instance`);

const beingDeleted = (pool: Pool): Result<never> =>
  failed('conflict', `agent pool ${pool.name} is being deleted`, { retryAfterSeconds: usualPauseSeconds });

const stopped = (): Result<never> => failed('unavailable', 'stopped before the call to Azure');
