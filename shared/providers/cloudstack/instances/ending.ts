/**
 * Ending VMs. Where the account may expunge, nothing is left; where it may not, CloudStack keeps a destroyed VM until its own time is
 * up, and that counts as gone: it does not run, and only an administrator could bring it back.
 */
import type { Json, JsonObject } from '../../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { saysNoExpunge } from '../../../platforms/cloudstack/said.ts';
import type { State } from '../../../state/contract.ts';
import { JobPace } from '../../calls/job-pace.ts';
import type { DeleteProgress, DeleteTarget, InstanceTags } from '../../contract.ts';
import { readHandle, toHandle } from './handle.ts';
import { isSameOwner } from './ownership.ts';
import { isGone, ownerOf, type Vm } from './vm.ts';
import type { Vms } from './vms.ts';
import type { Volumes } from './volumes.ts';

export interface EndingParts {
  client: Pick<CloudStackClient, 'call' | 'job'>;
  vms: Pick<Vms, 'get'>;
  volumes: Pick<Volumes, 'madeWith'>;
  clock: Clock;
  state: State;
  /** Whether to expunge where the account may: the option. */
  expunge: boolean;
  /** Of what is kept in state: another account may have other rights. */
  scope: string;
  /** For the metric. */
  onDeleted?(vm: Vm): void;
}

const pace = { firstSeconds: 5, leastSeconds: 1, mostSeconds: 15 };
/** An administrator may grant it any day. */
const refusedSeconds = 86_400;

export class Ending {
  readonly #parts: EndingParts;
  readonly #pace = new JobPace(pace);
  constructor(parts: EndingParts) {
    this.#parts = parts;
  }

  async begin({ id, owner }: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const { vms, volumes, clock } = this.#parts;
    const seen = await vms.get(id, signal);
    if (!seen.ok) return seen;
    const vm = seen.value;
    if (vm === undefined || vm.state === 'Expunging') return ok({ done: true });
    const theirs = ownerOf(vm);
    if (theirs === undefined || !isSameOwner(theirs, owner)) {
      return failed('invalid', `VM ${id} belongs to ${describeOwner(theirs)}: Poolwright does not touch it`);
    }
    const expunge = await this.#mayExpunge();
    if (isGone(vm) && !expunge) return ok(keptAs(vm));
    const disks = await volumes.madeWith(vm, signal);
    if (!disks.ok) return disks;
    const begun = await this.#destroy(id, expunge, disks.value, signal);
    if (!begun.ok) return begun.error.kind === 'not-found' ? ok({ done: true }) : begun;
    this.#parts.onDeleted?.(vm);
    // It is off already, and what is left of it goes in CloudStack's own time.
    if (isGone(vm)) return ok({ done: true });
    const handle = toHandle({ do: 'delete', id, owner, at: clock.now(), ...begun.value });
    return ok({ done: false, handle, retryAfterSeconds: this.#pace.first() });
  }

  async poll(given: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    const read = readHandle(given, 'delete');
    if (!read.ok) return read;
    const handle = read.value;
    const { id, job, at, looks = 0 } = handle;
    const seen = await this.#parts.vms.get(id, signal);
    if (!seen.ok) return seen;
    const vm = seen.value;
    const seconds = (this.#parts.clock.now() - at) / 1000;
    if (vm === undefined || isGone(vm)) {
      this.#pace.ended(seconds, looks + 1);
      // Not every account is shown what is Destroyed.
      return ok((await this.#mayExpunge()) ? { done: true } : keptAs(vm ?? { id, state: 'Destroyed' }));
    }
    // It is still there: only the job knows whether it will go.
    const failure = job === undefined ? undefined : await this.#failureOf(job, signal);
    if (failure !== undefined) {
      // The next destroy does without.
      if (saysNoExpunge(failure)) await this.#neverExpunge();
      return failed('outcome-unknown', `VM ${id} is ${vm.state}, and its destroy has failed: ${failure.message}`);
    }
    const next = toHandle({ ...handle, looks: looks + 1 });
    return ok({ done: false, handle: next, retryAfterSeconds: this.#pace.next(looks) });
  }

  async #failureOf(job: string, signal: AbortSignal): Promise<Failure | undefined> {
    const state = await this.#parts.client.job(job, signal);
    return state.ok && state.value.state === 'failed' ? state.value.failure : undefined;
  }

  async #destroy(
    id: string,
    expunge: boolean,
    volumeids: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<{ job?: string }>> {
    const params = { id, ...(expunge ? { expunge } : {}), ...(volumeids.length === 0 ? {} : { volumeids }) };
    // Deploys keep their places in the line; without one of its own a delete would wait as long as they last.
    const answer = await this.#parts.client.call<JsonObject>('destroyVirtualMachine', params, signal, {
      who: `destroy/${id}`,
    });
    if (answer.ok) {
      const { jobid } = answer.value;
      return ok(typeof jobid === 'string' ? { job: jobid } : {});
    }
    if (expunge && saysNoExpunge(answer.error)) {
      await this.#neverExpunge();
      return this.#destroy(id, false, volumeids, signal);
    }
    return answer;
  }

  /** CloudStack says so only when it is asked: in the answer, or in the job's. What one claim has learned holds for all. */
  async #mayExpunge(): Promise<boolean> {
    const { expunge, state } = this.#parts;
    return expunge && (await state.get(this.#refusedKey).catch(() => undefined)) === undefined;
  }

  async #neverExpunge(): Promise<void> {
    const at = this.#parts.clock.now();
    await this.#parts.state.put(this.#refusedKey, { at }, { ttlSeconds: refusedSeconds }).catch(() => undefined);
  }

  get #refusedKey(): string {
    return `cloudstack/no-expunge/${this.#parts.scope}`;
  }
}

const describeOwner = (owner: InstanceTags | undefined): string =>
  owner === undefined
    ? 'no deployment of Poolwright'
    : `claim ${owner.claimUid}, attempt ${owner.attempt}, of deployment ${owner.deployment}`;

/** CloudStack keeps it for `expunge.delay`, and nobody but an administrator can shorten that. */
const keptAs = ({ id, state }: Pick<Vm, 'id' | 'state'>): DeleteProgress =>
  state === 'Destroyed' ? { done: true, kept: { instance: id, state } } : { done: true };
