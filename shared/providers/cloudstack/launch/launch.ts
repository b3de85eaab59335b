/**
 * Begins one attempt: a deploy, and the tags that CloudStack does not take with it. With ids of our own a repeat is refused, and what
 * the first call made is found by its id. Without them nothing makes a repeat harmless: then the workflow asks once per attempt, and
 * whoever comes later looks for the display name.
 */
import { defined } from '../../../base/defined.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import { saysIdTaken, saysSomeAddress, saysTagged, saysTaken } from '../../../platforms/cloudstack/said.ts';
import { JobPace } from '../../calls/job-pace.ts';
import type { CreateProgress, CreateRequest, DeleteTarget, Instance } from '../../contract.ts';
import { customIdFor } from '../instances/custom-id.ts';
import { type Handle, readHandle, toHandle } from '../instances/handle.ts';
import { buildHash } from '../instances/made-of.ts';
import { isSameOwner, tagFields, tagsFor } from '../instances/ownership.ts';
import { isBefore, isBroken, isGone, isOwned, type OwnedVm, ownerOf, type Vm, withTags } from '../instances/vm.ts';
import type { Vms } from '../instances/vms.ts';
import type { Volumes } from '../instances/volumes.ts';
import { type Build, hashedBuild } from './build.ts';
import { deployParams } from './deploy-params.ts';
import { EarlyLook } from './early-look.ts';

export interface LaunchParts {
  client: Pick<CloudStackClient, 'call' | 'job'>;
  vms: Pick<Vms, 'get' | 'named'>;
  volumes: Pick<Volumes, 'tag'>;
  clock: Clock;
  /** The account is an administrator's, and VMs get ids of ours. */
  customIds: boolean;
  /** Finds everything that the deploy names. `id` is the VM's where it is known before. */
  build(request: CreateRequest, id: string | undefined, signal: AbortSignal): Promise<Result<BuiltFor>>;
  /** CloudStack refuses a deploy: something of it may be outdated. */
  refused(request: CreateRequest, build: Build, failure: Failure): void;
  /** One was made of this offering. */
  kept(request: CreateRequest): Promise<void>;
  instanceOf(vm: OwnedVm): Promise<Instance>;
  /** Account, domain or project of what is made. */
  scope(signal: AbortSignal): Promise<Result<Params>>;
  listLagMs: number;
  /** Takes away the object that a failed deploy leaves. */
  discard(target: DeleteTarget, signal: AbortSignal): Promise<Result<unknown>>;
  /** How long a deploy that may fail for want of capacity is watched at once. */
  quickLookMs: number;
  onCreated?(vm: Vm, seconds: number): void;
}

export interface BuiltFor {
  build: Build;
  /** Of the node class. */
  tags: Readonly<Record<string, string>>;
}

const pace = { firstSeconds: 5, leastSeconds: 1.5, mostSeconds: 15 };
/** Right after a deploy a list may not show its VM. */
const unseenSeconds = 2;
/** The limit of an account says nothing about an offering: asking for another one right away would be answered the same. */
const overQuota = { spent: true, retryAfterSeconds: 60 } as const;
/** A fixed address that is in use says nothing about an offering either; the next attempt takes another address. */
const addressTaken = { spent: true, retryAfterSeconds: 1 } as const;
export class Launch {
  readonly #parts: LaunchParts;
  readonly #pace = new JobPace(pace);
  readonly #early: EarlyLook;

  constructor(parts: LaunchParts) {
    this.#parts = parts;
    this.#early = new EarlyLook({ client: parts.client, clock: parts.clock, afterMs: parts.quickLookMs });
  }

  async begin(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const { client, customIds, clock } = this.#parts;
    const id = customIds ? customIdFor(request.owner) : undefined;
    const built = await this.#parts.build(request, id, signal);
    if (!built.ok) return built;
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const { build, tags: own } = built.value;
    const params = { ...deployParams(request, build, id), ...scope.value };
    const deployed = await client.call<JsonObject>('deployVirtualMachine', params, signal, { who: request.token });
    const madeOf = { ...hashedBuild(build), tags: own };
    const tagsWith = (made: typeof madeOf) =>
      tagsFor(request, { hash: buildHash(made), volumes: build.volumes.length }, own);
    const tags = tagsWith(madeOf);
    if (!deployed.ok) {
      this.#parts.refused(request, build, deployed.error);
      // What is there is of an earlier call, whose user data may have been another: a Secret in it changes any day.
      const { userData: _, ...rest } = madeOf;
      return this.#refused(request, id, tagsWith(rest), deployed.error, signal);
    }
    const { id: made, jobid } = deployed.value;
    if (typeof made !== 'string') {
      return failed('outcome-unknown', 'deployVirtualMachine: CloudStack did not return the id of the VM');
    }
    const handle: Omit<Handle, 'v' | 'of'> = {
      do: 'create',
      id: made,
      ...(typeof jobid === 'string' ? { job: jobid } : {}),
      owner: request.owner,
      at: clock.now(),
      tags,
      ...(build.volumes.length === 0 ? {} : { volumes: build.volumes.length }),
    };
    await this.#parts.kept(request);
    // If it fails, or its job does, the look at the running VM shows it, and it is written then.
    await this.#tag(made, tags, signal);
    const refused = await this.#refusedEarly(request, handle, signal);
    return refused ?? ok({ done: false, handle: toHandle(handle), retryAfterSeconds: this.#pace.first() });
  }

  /** A job that has failed for good by now is an answer to this very call. */
  async #refusedEarly(
    request: CreateRequest,
    { id, job, owner }: Omit<Handle, 'v' | 'of'>,
    signal: AbortSignal,
  ): Promise<Result<never> | undefined> {
    const failure = await this.#early.at(request, job, signal);
    if (failure === undefined) return undefined;
    // Where its object can't be taken away, the usual way does it.
    const gone = await this.#parts.discard({ id, owner }, signal);
    return gone.ok ? { ok: false, error: { ...failure, ...notOfOffering(failure) } } : undefined;
  }

  async poll(given: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const read = readHandle(given, 'create');
    if (!read.ok) return read;
    const handle = read.value;
    const { id, owner, at, looks = 0 } = handle;
    const seen = await this.#parts.vms.get(id, signal);
    if (!seen.ok) return seen;
    const vm = seen.value;
    const isRecent = this.#parts.clock.now() - at < this.#parts.listLagMs;
    if (vm === undefined) {
      if (isRecent) return ok({ done: false, handle: given, retryAfterSeconds: unseenSeconds });
      return this.#lost(handle, undefined, signal);
    }
    const theirs = ownerOf(vm);
    if (theirs === undefined || !isSameOwner(theirs, owner)) {
      return failed('not-found', `there is no VM ${id} of this attempt`);
    }
    if (isGone(vm)) return failed('not-found', `VM ${id} is ${vm.state}`);
    if (isBroken(vm)) return this.#lost(handle, vm, signal);
    if (vm.state === 'Stopping') {
      return failed('conflict', `VM ${id} is being stopped`, { retryAfterSeconds: unseenSeconds });
    }
    if (isBefore(vm)) return this.#waitFor(handle, vm, signal);
    const seconds = (this.#parts.clock.now() - at) / 1000;
    this.#pace.ended(seconds, looks + 1);
    const marked = await this.#mark(vm, handle, signal);
    if (!marked.ok) return marked;
    this.#parts.onCreated?.(vm, seconds);
    return ok({ done: true, instance: await this.#parts.instanceOf(marked.value) });
  }

  /** A VM that is stopped has not been started yet, or will never be: its job knows. */
  async #waitFor(handle: Handle, vm: Vm, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const { looks = 0 } = handle;
    if (vm.state === 'Stopped') {
      if (handle.job === undefined) return failed('not-found', `VM ${vm.id} is Stopped, and nobody is starting it`);
      const job = await this.#parts.client.job(handle.job, signal);
      if (job.ok && job.value.state === 'failed') return this.#jobFailed(vm.id, job.value.failure);
      // It was started, and somebody has stopped it since.
      if (job.ok && job.value.state === 'done') return failed('not-found', `VM ${vm.id} was stopped`);
      if (!job.ok && job.error.kind === 'not-found') return failed('not-found', `VM ${vm.id} is Stopped`);
    }
    const next = toHandle({ ...handle, looks: looks + 1 });
    return ok({ done: false, handle: next, retryAfterSeconds: this.#pace.next(looks) });
  }

  /** It is not there, or broken. Why, only its job can tell. */
  async #lost({ id, job }: Handle, vm: Vm | undefined, signal: AbortSignal): Promise<Result<never>> {
    const state = job === undefined ? undefined : await this.#parts.client.job(job, signal);
    if (state?.ok === false && state.error.kind !== 'not-found') return state;
    if (state?.ok && state.value.state === 'failed') return this.#jobFailed(id, state.value.failure);
    return failed('not-found', vm === undefined ? `VM ${id} no longer exists` : `VM ${id} is in state ${vm.state}`);
  }

  /** The job is over, so only what says something about the offering or the request keeps its kind. */
  #jobFailed(id: string, failure: Failure): Result<never> {
    const { kind, message, cause, code } = failure;
    const more = defined({ cause, code });
    if (kind === 'insufficient-capacity' || kind === 'quota-exceeded' || kind === 'invalid') {
      this.#early.lacked(failure);
      return failed(kind, message, { ...more, ...notOfOffering(failure) });
    }
    return failed('not-found', `the deploy of VM ${id} failed: ${message}`, more);
  }

  async #refused(
    request: CreateRequest,
    id: string | undefined,
    tags: Record<string, string>,
    failure: Failure,
    signal: AbortSignal,
  ): Promise<Result<CreateProgress>> {
    const { kind } = failure;
    if (kind === 'invalid' || kind === 'conflict' || kind === 'outcome-unknown') {
      const found = await this.#whatIsThere(request, id, tags, failure, signal);
      if (found !== undefined) return found;
    }
    return { ok: false, error: { ...failure, ...notOfOffering(failure) } };
  }

  /** Id and name are of this attempt alone: what has them is ours, from a call whose answer was lost, or in the way. */
  async #whatIsThere(
    request: CreateRequest,
    id: string | undefined,
    tags: Record<string, string>,
    failure: Failure,
    signal: AbortSignal,
  ): Promise<Result<CreateProgress> | undefined> {
    const isTaken = saysTaken(failure) && failure.kind !== 'outcome-unknown';
    // An answer that was lost is looked into by the workflow; with an id of ours it may simply ask again.
    if (!isTaken) return undefined;
    const byId = id === undefined ? undefined : await this.#parts.vms.get(id, signal);
    if (byId?.ok === false) return byId;
    const byName = byId?.value === undefined ? await this.#parts.vms.named(request.name, signal) : undefined;
    if (byName?.ok === false) return byName;
    const vm = byId?.value ?? byName?.value.find((one) => isOwned(one) && isTheirs(one, request)) ?? byName?.value[0];
    if (vm !== undefined) return this.#goOnWith(vm, request, tags, signal);
    if (id === undefined || !saysIdTaken(failure)) return undefined;
    // CloudStack remembers the id of a VM that is gone.
    const handle = toHandle({ do: 'create', id, owner: request.owner, at: 0 });
    return ok({ done: false, handle, retryAfterSeconds: unseenSeconds });
  }

  async #goOnWith(
    vm: Vm,
    request: CreateRequest,
    tags: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Result<CreateProgress>> {
    if (!isOwned(vm) || !isTheirs(vm, request)) {
      const whose = vm.owned === undefined ? 'no deployment of Poolwright' : `deployment ${vm.owned.owner.deployment}`;
      return failed('conflict', `the name of this attempt is in use by VM ${vm.id}, which belongs to ${whose}`, {
        lasting: true,
      });
    }
    const handle: Handle = {
      v: 1,
      of: 'cloudstack',
      do: 'create',
      id: vm.id,
      owner: request.owner,
      at: vm.createdAt,
      ...(vm.tagged ? {} : { tags }),
    };
    if (vm.state === 'Running') {
      const marked = await this.#mark(vm, handle, signal);
      return marked.ok ? ok({ done: true, instance: await this.#parts.instanceOf(marked.value) }) : marked;
    }
    return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: unseenSeconds });
  }

  /** Writes what a crash left out: the tags of the VM, and those of its data volumes. */
  async #mark(vm: Vm, { tags, volumes }: Handle, signal: AbortSignal): Promise<Result<OwnedVm>> {
    if (tags !== undefined && !vm.tagged) {
      const written = await this.#tag(vm.id, tags, signal);
      if (!written.ok) return written.error.kind === 'unauthorised' ? written : unmarked(vm, written.error);
    }
    if (tags !== undefined && volumes !== undefined) {
      const done = await this.#parts.volumes.tag(vm, tags, signal);
      if (!done.ok) return done.error.kind === 'unauthorised' ? done : unmarked(vm, done.error);
    }
    const marked = tags === undefined || vm.tagged ? vm : withTags(vm, tags);
    return isOwned(marked) ? ok(marked) : failed('not-found', `there is no VM ${vm.id} of this attempt`);
  }

  /** The job of this write is not waited for: a look at the VM shows whether it was done. */
  async #tag(id: string, tags: Record<string, string>, signal: AbortSignal): Promise<Result<void>> {
    const params = { resourceids: [id], resourcetype: 'UserVm', tags: tagFields(tags) };
    const written = await this.#parts.client.call('createTags', params, signal);
    return written.ok || saysTagged(written.error) ? ok(undefined) : written;
  }
}

/** What makes a refusal one that marks no offering. */
const notOfOffering = (failure: Failure): Partial<Failure> => {
  if (failure.kind === 'quota-exceeded') return overQuota;
  return failure.kind === 'insufficient-capacity' && saysSomeAddress(failure) ? addressTaken : {};
};

/** The VM is there all the same, and the next poll writes again. */
const unmarked = ({ id }: Vm, { message, cause }: Failure): Result<never> =>
  failed('unavailable', `the tags of VM ${id} are not written yet: ${message}`, defined({ cause }));

const isTheirs = (vm: OwnedVm, { owner }: CreateRequest): boolean => isSameOwner(vm.owned.owner, owner);
