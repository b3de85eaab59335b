/** Ends machines: a delete is begun, and over when the server has no such machine any more. */
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { ListedMachine, MachineDriver } from '../../../drivers/contract.ts';
import { saysMustBeOff } from '../../../drivers/grpc/plain-errors.ts';
import { JobPace } from '../../calls/job-pace.ts';
import type { DeleteProgress, DeleteTarget, InstanceTags } from '../../contract.ts';
import { placeIn } from '../instance-id.ts';
import { named, type Servers } from '../servers/servers.ts';
import { type DeleteHandle, readDeleteHandle, toHandle } from './handle.ts';
import { type Machines, ownedBy } from './machines.ts';
import type { MadeStore } from './made.ts';

export interface EndingParts {
  servers: Servers;
  machines: Machines;
  made: MadeStore;
  clock: Clock;
}

const pace = { firstSeconds: 1.5, leastSeconds: 0.5, mostSeconds: 15 };

/** A delete without a task that takes longer is begun again. */
const stuckSeconds = 300;
/** So long after its delete a machine may still be shown. */
const settledSeconds = 10;

export class Ending {
  readonly #parts: EndingParts;
  readonly #pace = new JobPace(pace);

  constructor(parts: EndingParts) {
    this.#parts = parts;
  }

  async begin({ id, owner }: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const { servers, machines, made, clock } = this.#parts;
    const place = placeIn(id);
    // No machine of ours has such an id, so there never was one.
    if (place === undefined) return this.#reachable(signal);
    const { server, name } = place;
    const driver = servers.driver(server);
    if (!driver.ok) return driver;
    const there = await machines.named(server, name, signal);
    if (!there.ok) return named(server, there.error);
    if (there.value.length === 0) return ok({ done: true });
    for (const machine of there.value) {
      const owned = ownedBy(owner, server, machine);
      if (owned === undefined || !isSameOwner(owned.owner, owner)) {
        return failed(
          'invalid',
          `machine ${name} of provider server ${server} is not that of this attempt: Poolwright does not touch it`,
        );
      }
    }
    let task: string | undefined;
    for (const machine of there.value) {
      const begun = await this.#delete(driver.value, machine, signal);
      if (!begun.ok) return named(server, begun.error);
      task = begun.value.task;
    }
    await made.deleting(id, clock.now());
    const ids = there.value.map((machine) => machine.id);
    const of = { v: 1, of: 'remote', do: 'delete', server, name, owner, ids, at: clock.now() } as const;
    const handle: DeleteHandle = { ...of, ...(task === undefined || ids.length > 1 ? {} : { task }) };
    return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: this.#pace.first() });
  }

  async poll(given: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    const read = readDeleteHandle(given);
    if (!read.ok) return read;
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const handle = read.value;
    const driver = this.#parts.servers.driver(handle.server);
    if (!driver.ok) return driver;
    const seconds = (this.#parts.clock.now() - handle.at) / 1000;
    let left = 0;
    for (const id of handle.ids) {
      const seen = await driver.value.describe(id, signal);
      if (!seen.ok) return named(handle.server, seen.error);
      if (seen.value !== undefined) left += 1;
    }
    if (left === 0) {
      this.#pace.ended(seconds, 1);
      return ok({ done: true });
    }
    const failure = await this.#failureOf(handle, seconds, driver.value, signal);
    if (failure !== undefined) return failure;
    return ok({ done: false, handle: given, retryAfterSeconds: this.#pace.after(seconds) });
  }

  async #delete(driver: MachineDriver, { id, power }: ListedMachine, signal: AbortSignal) {
    const begun = await driver.delete(id, signal);
    if (begun.ok || power !== 'On' || !saysMustBeOff(begun.error.message)) return begun;
    const off = await driver.power(id, 'off', {}, signal);
    if (!off.ok && off.error.kind !== 'not-found') return off;
    return failed('conflict', `machine ${id} is stopped first: ${begun.error.message}`, { retryAfterSeconds: 2 });
  }

  /** It is still there: only the task knows whether it will go. */
  async #failureOf(
    { task, server, name }: DeleteHandle,
    seconds: number,
    driver: MachineDriver,
    signal: AbortSignal,
  ): Promise<Result<never> | undefined> {
    const lost = (why: string) =>
      failed('outcome-unknown', `machine ${name} of provider server ${server} is still there: ${why}`);
    if (task === undefined) return seconds > stuckSeconds ? lost('its delete does not end') : undefined;
    const state = await driver.task(task, signal);
    if (!state.ok) return state.error.kind === 'not-found' ? lost('its task is not known any more') : undefined;
    if (state.value.error !== undefined) return lost(`its delete failed: ${state.value.error}`);
    return state.value.done && seconds > settledSeconds ? lost('its delete ended') : undefined;
  }

  async #reachable(signal: AbortSignal): Promise<Result<DeleteProgress>> {
    const { servers, machines } = this.#parts;
    for (const server of servers.names) {
      const listed = await machines.listed(server, signal);
      if (!listed.ok) return named(server, listed.error);
    }
    return ok({ done: true });
  }
}

const isSameOwner = (one: InstanceTags, other: InstanceTags): boolean =>
  one.deployment === other.deployment &&
  one.cluster === other.cluster &&
  one.claimUid === other.claimUid &&
  one.attempt === other.attempt;
