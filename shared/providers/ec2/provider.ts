/**
 * The provider of EC2: one claim, one instance.
 *
 * In a life without faults it asks EC2 for: the fleet, a look when the machine should run, a look and the end, and a look whether it
 * has ended. Looks and ends of claims that come together are one call; images, subnets, types and templates are looked up once for
 * all claims of a class.
 */

import type { Check } from '../../base/checks.ts';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import type {
  ClaimKey,
  CreateProgress,
  CreateRequest,
  DeleteProgress,
  DeleteTarget,
  Instance,
  InstanceTags,
  Provider,
  ResolvedNodeClass,
} from '../contract.ts';
import type { SoldTypes } from '../shape-store.ts';
import type { Ec2Facts } from './facts.ts';
import { readHandle, toHandle } from './handle.ts';
import { isOwned, type Machine, type OwnedMachine, providerIdOf } from './instance.ts';
import { instanceIdIn } from './instance-id.ts';
import type { Launch } from './launch/launch.ts';
import type { Machines } from './machines.ts';
import type { Ec2NodeClasses } from './node-class/resolve.ts';
import type { ResolvedEc2Class } from './node-class/resolved.ts';
import type { Shapes } from './shapes.ts';
import { isSameOwner } from './tags.ts';

export interface Ec2ProviderParts {
  facts: Ec2Facts;
  launch: Launch;
  machines: Machines;
  classes: Ec2NodeClasses;
  shapes: Shapes;
  types(resolved: ResolvedEc2Class, signal: AbortSignal): Promise<Result<SoldTypes>>;
  /** The account that answers, and the region. */
  place(): Promise<Result<string>>;
  roomToCreate(token: string, signal: AbortSignal): Promise<Result<void>>;
  check: NonNullable<Provider['check']>;
  adopt: NonNullable<Provider['adopt']>;
  clock: Clock;
  close(): void;
}

const pollSeconds = 3;
const unseenSeconds = 2;
/** A machine takes its time to shut down; the first look is seldom too early. */
const endSeconds = 5;

export class Ec2Provider implements Provider {
  readonly name: string;
  readonly traits: Ec2Facts['traits'];
  readonly nodeClasses: Ec2Facts['nodeClasses'];
  readonly serves: Ec2Facts['serves'];
  readonly instanceIds: Ec2Facts['instanceIds'];
  readonly place: () => Promise<Result<string>>;
  readonly roomToCreate: Ec2ProviderParts['roomToCreate'];
  readonly adopt: Ec2ProviderParts['adopt'];
  readonly #parts: Ec2ProviderParts;

  constructor(parts: Ec2ProviderParts) {
    const { facts } = parts;
    this.name = facts.name;
    this.traits = facts.traits;
    this.nodeClasses = facts.nodeClasses;
    this.serves = facts.serves;
    this.instanceIds = facts.instanceIds;
    this.place = parts.place;
    this.roomToCreate = parts.roomToCreate;
    this.adopt = parts.adopt;
    this.#parts = parts;
  }

  async beginCreate(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    if (signal.aborted) return stopped();
    if (request.place !== undefined) {
      const here = await this.place();
      if (!here.ok) return here;
      if (here.value !== request.place) {
        return failed('not-ready', `instances are now created at ${here.value}; the claim retries`);
      }
    }
    return this.#parts.launch.begin(request, signal);
  }

  async pollCreate(handle: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const read = readHandle(handle, 'create');
    if (!read.ok) return read;
    const { id, owner, at } = read.value;
    const seen = await this.#parts.machines.get(id, signal);
    if (!seen.ok) return seen;
    const machine = seen.value;
    if (machine === undefined) {
      // Right after a launch EC2 may not know its own machine yet.
      if (this.#isRecent(at)) return ok({ done: false, handle, retryAfterSeconds: unseenSeconds });
      return failed('not-found', `instance ${id} no longer exists`);
    }
    if (!isOwned(machine) || !isSameOwner(machine.owner, owner)) {
      // Tags come with the launch, but a list may show the machine without them for a moment, and it may run by then.
      const isYoung = machine.state === 'pending' || machine.state === 'running';
      if (!isOwned(machine) && isYoung && this.#isRecent(at)) {
        return ok({ done: false, handle, retryAfterSeconds: unseenSeconds });
      }
      return notOurs(id);
    }
    switch (machine.state) {
      case 'terminated':
        return failed('not-found', `instance ${id} was terminated${reasonOf(machine)}`);
      case 'shutting-down':
        return failed('conflict', `instance ${id} is being terminated${reasonOf(machine)}`, {
          retryAfterSeconds: endSeconds,
        });
      case 'pending':
        return ok({ done: false, handle, retryAfterSeconds: pollSeconds });
      default:
        return ok({ done: true, instance: await this.#parts.shapes.instanceOf(machine) });
    }
  }

  async beginDelete({ id, owner }: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    if (signal.aborted) return stopped();
    const { machines, clock } = this.#parts;
    const seen = await machines.get(id, signal);
    if (!seen.ok) return seen;
    const machine = seen.value;
    if (machine === undefined || machine.state === 'terminated') return ok({ done: true });
    if (!isOwned(machine) || !isSameOwner(machine.owner, owner)) {
      return failed(
        'invalid',
        `instance ${id} belongs to ${describeOwner(machine.owner)}: Poolwright does not touch it`,
      );
    }
    const handle = toHandle({ do: 'delete', id, owner, at: clock.now() });
    if (machine.state !== 'shutting-down') {
      const ended = await machines.end(id, signal);
      if (!ended.ok) return ended;
      if (ended.value === 'gone') return ok({ done: true });
    }
    return ok({ done: false, handle, retryAfterSeconds: endSeconds });
  }

  async pollDelete(handle: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    const read = readHandle(handle, 'delete');
    if (!read.ok) return read;
    const { id, at } = read.value;
    const seen = await this.#parts.machines.get(id, signal);
    if (!seen.ok) return seen;
    if (seen.value === undefined || seen.value.state === 'terminated') return ok({ done: true });
    // For a moment EC2 may show what was before the call.
    if (seen.value.state === 'shutting-down' || this.#isRecent(at)) {
      return ok({ done: false, handle, retryAfterSeconds: endSeconds });
    }
    return failed('outcome-unknown', `instance ${id} is ${seen.value.state} again: terminate it again`);
  }

  async find(claim: ClaimKey, signal: AbortSignal): Promise<Result<Instance[]>> {
    const found = await this.#parts.machines.ofClaim(claim, signal);
    return found.ok ? ok(await this.#instances(found.value)) : found;
  }

  async get(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    providerID: string,
    signal: AbortSignal,
  ): Promise<Result<Instance>> {
    const id = instanceIdIn(providerID);
    if (id === undefined) return failed('not-found', `${providerID} is not an EC2 instance`);
    const seen = await this.#parts.machines.get(id, signal);
    if (!seen.ok) return seen;
    const machine = seen.value;
    if (machine === undefined || machine.state === 'terminated' || providerIdOf(machine) !== providerID)
      return notOurs(id);
    if (!isOwned(machine)) return notOurs(id);
    if (machine.owner.deployment !== owner.deployment || machine.owner.cluster !== owner.cluster) return notOurs(id);
    return ok(await this.#parts.shapes.instanceOf(machine));
  }

  async list(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Instance[]; next?: string }>> {
    const listed = await this.#parts.machines.page(owner, page, signal);
    if (!listed.ok) return listed;
    const { items, next } = listed.value;
    return ok({ items: await this.#instances(items), ...defined({ next }) });
  }

  async instanceTypes(
    nodeClass: { name: string; spec: Json },
    signal: AbortSignal,
  ): Promise<Result<readonly InstanceType[]>> {
    if (signal.aborted) return stopped();
    const resolved = await this.#parts.classes.resolve(nodeClass, signal);
    if (!resolved.ok) return resolved;
    const types = await this.#parts.types(resolved.value, signal);
    return types.ok ? ok(types.value.list) : types;
  }

  resolveNodeClass(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<ResolvedNodeClass>> {
    return this.#parts.classes.describe(nodeClass, signal);
  }

  check(owner: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<Check[]> {
    return this.#parts.check(owner, signal);
  }

  close(): void {
    this.#parts.close();
  }

  #isRecent(at: number): boolean {
    return this.#parts.clock.now() - at < this.traits.listLagSeconds * 1000;
  }

  #instances(machines: readonly Machine[]): Promise<Instance[]> {
    const ours = machines.filter((machine): machine is OwnedMachine => isOwned(machine));
    return Promise.all(ours.map((machine) => this.#parts.shapes.instanceOf(machine)));
  }
}

const describeOwner = (owner: InstanceTags | undefined): string =>
  owner === undefined
    ? 'another owner'
    : `claim ${owner.claimUid}, attempt ${owner.attempt}, of deployment ${owner.deployment}`;

const reasonOf = ({ why }: Machine): string => (why === undefined ? '' : ` (${why})`);

const notOurs = (id: string): Result<never> => failed('not-found', `there is no instance ${id} of this deployment`);

const stopped = (): Result<never> => failed('unavailable', 'the call was stopped before it was sent');
