/**
 * Makes a machine in steps, each of which may be the last thing that a process does: look for its name, create, wait for the task, start it
 * unless it runs, and look. Whatever comes in between, the next one who looks finds the machine by its name.
 */
import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { MachineDriver } from '../../../drivers/contract.ts';
import { circuitOpen } from '../../../drivers/grpc/circuit-breaker.ts';
import { plainErrorKind, saysRunning } from '../../../drivers/grpc/plain-errors.ts';
import type { MachineSpec } from '../../../drivers/machine-spec.ts';
import { JobPace } from '../../calls/job-pace.ts';
import type { CreateProgress, CreateRequest } from '../../contract.ts';
import { instanceIdFor } from '../instance-id.ts';
import { type CreateHandle, readCreateHandle, toHandle } from '../machines/handle.ts';
import { toInstance } from '../machines/instance.ts';
import { machineNameFor } from '../machines/machine-name.ts';
import type { Machines } from '../machines/machines.ts';
import type { Made, MadeStore, Started } from '../machines/made.ts';
import { named, type Servers } from '../servers/servers.ts';

export interface LaunchParts {
  servers: Servers;
  machines: Machines;
  made: MadeStore;
  clock: Clock;
  listLagSeconds: number;
  build(request: CreateRequest, name: string, signal: AbortSignal): Promise<Result<Build>>;
  /** Whether the class has zones of another server. */
  hasOtherServers(request: CreateRequest): boolean;
}

export interface Build {
  server: string;
  machine: MachineSpec;
  made: Made;
}

const pace = { leastSeconds: 0.5, mostSeconds: 15 };
/** A start that was told so long ago and shows no effect is told again. */
const againSeconds = 20;

export class Launch {
  readonly #parts: LaunchParts;
  readonly #makes = new JobPace({ ...pace, firstSeconds: 2.5 });
  readonly #starts = new JobPace({ ...pace, firstSeconds: 1.5 });

  constructor(parts: LaunchParts) {
    this.#parts = parts;
  }

  async begin(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const begun = await this.#begin(request, signal);
    if (begun.ok || begun.error.code !== circuitOpen || !this.#parts.hasOtherServers(request)) return begun;
    // Nothing was sent, and it has failed for a while: the claim is better off in a zone of another server.
    const { message, retryAfterSeconds } = begun.error;
    const scope = { zone: request.offering.zone };
    return failed('insufficient-capacity', message, { scope, ...defined({ retryAfterSeconds }) });
  }

  async #begin(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const { machines, servers, made, clock } = this.#parts;
    const name = machineNameFor(request.owner, request.claimName);
    if (!name.ok) return name;
    const built = await this.#parts.build(request, name.value, signal);
    if (!built.ok) return built;
    const { server, machine } = built.value;
    const driver = servers.driver(server);
    if (!driver.ok) return driver;
    const there = await machines.named(server, name.value, signal);
    if (!there.ok) return named(server, there.error);
    const of = { v: 1, of: 'remote', do: 'create', server, name: name.value, owner: request.owner } as const;
    const [found] = there.value;
    if (found !== undefined) return this.#look({ ...of, id: found.id, at: clock.now() }, driver.value, signal);
    await made.keep(instanceIdFor(server, name.value), built.value.made);
    const created = await driver.value.create(name.value, machine, signal);
    if (!created.ok) return named(server, refusal(created.error));
    const { id, task } = created.value;
    if (id === '')
      return named(server, { kind: 'outcome-unknown', message: 'Create did not return the id of the machine' });
    const handle: CreateHandle = { ...of, id, at: clock.now(), ...(task === undefined ? {} : { task }) };
    // Without a task it is made, and may even run; nothing else is to be waited for.
    if (task === undefined) return this.#look(handle, driver.value, signal);
    return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: this.#makes.first() });
  }

  async poll(given: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const read = readCreateHandle(given);
    if (!read.ok) return read;
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const handle = read.value;
    const { server, name } = handle;
    const driver = this.#parts.servers.driver(server);
    if (!driver.ok) return driver;
    const { started, deletingAt } = await this.#parts.made.of(instanceIdFor(server, name));
    if (started === undefined && handle.task !== undefined && deletingAt === undefined) {
      const ended = await this.#taskEnded(handle, handle.task, driver.value, signal);
      if (!ended.ok) return ended;
      const seconds = this.#secondsSince(handle.at);
      if (!ended.value) return this.#later(handle, this.#makes, seconds);
      this.#makes.ended(seconds, 1);
    }
    return this.#look(handle, driver.value, signal);
  }

  /** It runs, or it is told to. */
  async #look(handle: CreateHandle, driver: MachineDriver, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const { clock, made, listLagSeconds } = this.#parts;
    const { server, name, id, owner } = handle;
    const seen = await driver.describe(id, signal);
    if (!seen.ok) return named(server, seen.error);
    const record = await made.of(instanceIdFor(server, name));
    const isDeleting = record.deletingAt !== undefined;
    if (seen.value === undefined) {
      const seconds = this.#secondsSince(handle.at);
      const isRecent = seconds < listLagSeconds && handle.task === undefined && !isDeleting;
      if (isRecent) return this.#later(handle, this.#starts, seconds);
      return failed('not-found', `machine ${name} of provider server ${server} is gone`);
    }
    if (isDeleting) return failed('conflict', `machine ${name} is being deleted`, { retryAfterSeconds: 2 });
    const { power } = seen.value;
    const { started } = record;
    if (power !== 'On') {
      return started === undefined
        ? this.#start(handle, driver, signal)
        : this.#starting(handle, started, driver, signal);
    }
    if (started !== undefined) this.#starts.ended(this.#secondsSince(started.at), 1);
    const machine = { server, id, name, power, owner, claimName: record.made?.claimName ?? '' };
    return ok({ done: true, instance: toInstance(machine, record.made, undefined, clock.now()) });
  }

  async #start(handle: CreateHandle, driver: MachineDriver, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const { server, name, id } = handle;
    const begun = await driver.power(id, 'on', {}, signal);
    if (!begun.ok && !saysRunning(begun.error.message)) return named(server, refusal(begun.error));
    const task = begun.ok ? begun.value.task : undefined;
    const started = { at: this.#parts.clock.now(), ...(task === undefined ? {} : { task }) };
    // Without it the next look tells it to start once more, which changes nothing.
    await this.#parts.made.started(instanceIdFor(server, name), started);
    return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: this.#starts.first() });
  }

  /** It was told to start and does not run: its task may say why. */
  async #starting(
    handle: CreateHandle,
    { at, task }: Started,
    driver: MachineDriver,
    signal: AbortSignal,
  ): Promise<Result<CreateProgress>> {
    const seconds = this.#secondsSince(at);
    const ended = task === undefined ? ok(true) : await this.#taskEnded(handle, task, driver, signal);
    if (!ended.ok) return ended;
    // Nothing says that it still starts. It is told again now and then: the launch deadline ends that.
    return ended.value && seconds > againSeconds
      ? this.#start(handle, driver, signal)
      : this.#later(handle, this.#starts, seconds);
  }

  async #taskEnded(
    { server, name }: CreateHandle,
    task: string,
    driver: MachineDriver,
    signal: AbortSignal,
  ): Promise<Result<boolean>> {
    const state = await driver.task(task, signal);
    if (!state.ok) {
      // Servers forget tasks: the machine itself shows what became of it.
      return state.error.kind === 'not-found' ? ok(true) : named(server, state.error);
    }
    const { done, error } = state.value;
    if (error === undefined || saysRunning(error)) return ok(done);
    // The task is over, so only what says something about offering or request keeps its kind.
    const kind = plainErrorKind(error);
    const isOfRequest = kind === 'insufficient-capacity' || kind === 'quota-exceeded' || kind === 'invalid';
    return failed(isOfRequest ? kind : 'not-found', `provider server ${server} failed to make ${name}: ${error}`);
  }

  #later(handle: CreateHandle, jobs: JobPace, seconds: number): Result<CreateProgress> {
    return ok({ done: false, handle: toHandle(handle), retryAfterSeconds: jobs.after(seconds) });
  }

  #secondsSince(at: number): number {
    return (this.#parts.clock.now() - at) / 1000;
  }
}

/** What the hypervisor does not know is the class's mistake, not a machine that is gone. */
const refusal = (failure: Failure): Failure =>
  failure.kind === 'not-found' ? { ...failure, kind: 'invalid', about: 'node-class' } : failure;
