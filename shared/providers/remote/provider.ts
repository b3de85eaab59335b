/**
 * The provider for machines behind provider servers. What it knows is at the servers or in the claim; what it keeps in state are answers that
 * cost calls.
 */
import type { Check } from '../../base/checks.ts';
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
import type { RemoteFacts } from './facts.ts';
import { instanceIdFor, instanceIdIn, placeIn } from './instance-id.ts';
import type { Launch } from './launch/launch.ts';
import { endDoubles } from './machines/doubles.ts';
import type { Ending } from './machines/ending.ts';
import { instanceOf } from './machines/instance.ts';
import type { Machines, OwnedMachine } from './machines/machines.ts';
import type { MadeStore } from './machines/made.ts';
import type { MachineNodeClasses } from './node-class/resolve.ts';
import { named, type Servers } from './servers/servers.ts';

export interface RemoteParts {
  facts: RemoteFacts;
  servers: Servers;
  machines: Machines;
  made: MadeStore;
  launch: Launch;
  ending: Ending;
  classes: MachineNodeClasses;
  clock: Clock;
  pageSize: number;
}

type Owner = Pick<InstanceTags, 'deployment' | 'cluster'>;
type ClassRef = { name: string; spec: Json };

export class RemoteProvider implements Provider {
  readonly name: string;
  readonly traits: RemoteFacts['traits'];
  readonly nodeClasses: RemoteFacts['nodeClasses'];
  readonly instanceIds: RemoteFacts['instanceIds'];
  readonly #parts: RemoteParts;

  constructor(parts: RemoteParts) {
    const { facts } = parts;
    this.name = facts.name;
    this.traits = facts.traits;
    this.nodeClasses = facts.nodeClasses;
    this.instanceIds = facts.instanceIds;
    this.#parts = parts;
  }

  beginCreate(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    return this.#parts.launch.begin(request, signal);
  }

  pollCreate(handle: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    return this.#parts.launch.poll(handle, signal);
  }

  beginDelete(target: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    return this.#parts.ending.begin(target, signal);
  }

  pollDelete(handle: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    return this.#parts.ending.poll(handle, signal);
  }

  async find(claim: ClaimKey, signal: AbortSignal): Promise<Result<Instance[]>> {
    const all = await this.#parts.machines.ownedEverywhere(claim, signal);
    if (!all.ok) return all;
    return ok(await this.#instances(all.value.filter(({ owner }) => owner.claimUid === claim.claimUid)));
  }

  async get(owner: Owner, providerID: string, signal: AbortSignal): Promise<Result<Instance>> {
    const id = instanceIdIn(providerID);
    const place = id === undefined ? undefined : placeIn(id);
    if (place === undefined) return failed('not-found', `${providerID} is not a machine of a provider server`);
    const { server, name } = place;
    if (!this.#parts.servers.has(server)) {
      const reason = 'ProviderServerNotFound';
      return failed('not-ready', this.#parts.servers.unknown(server), { reason });
    }
    const listed = await this.#parts.machines.owned(server, owner, signal);
    if (!listed.ok) return named(server, listed.error);
    const machine = listed.value.find((one) => one.name === name);
    if (machine === undefined) return failed('not-found', `provider server ${server} has no machine ${name} of ours`);
    return ok(await this.#instance(machine));
  }

  async list(
    owner: Owner,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Instance[]; next?: string }>> {
    const all = await this.#parts.machines.ownedEverywhere(owner, signal);
    if (!all.ok) return all;
    // What comes and goes between two pages moves nothing: a page begins after the last id of the one before.
    const rest = all.value
      .map((machine) => ({ machine, id: instanceIdFor(machine.server, machine.name) }))
      .filter(({ id }) => page === undefined || id > page)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const items = rest.slice(0, this.#parts.pageSize);
    const last = items.at(-1);
    const next = rest.length > items.length && last !== undefined ? { next: last.id } : {};
    return ok({ items: await this.#instances(items.map(({ machine }) => machine)), ...next });
  }

  async instanceTypes(nodeClass: ClassRef, signal: AbortSignal): Promise<Result<readonly InstanceType[]>> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    return this.#parts.classes.instanceTypes(nodeClass, signal);
  }

  resolveNodeClass(nodeClass: ClassRef, signal: AbortSignal): Promise<Result<ResolvedNodeClass>> {
    return this.#parts.classes.describe(nodeClass, signal);
  }

  async check(_owner: Owner, signal: AbortSignal): Promise<Check[]> {
    const { checkRemote } = await import('./check.ts');
    return checkRemote(this.#parts.servers, signal);
  }

  tidy(owner: Owner, signal: AbortSignal): Promise<Result<void>> {
    return endDoubles(this.#parts, owner, signal);
  }

  close(): void {
    this.#parts.servers.close();
  }

  #instance(machine: OwnedMachine): Promise<Instance> {
    return instanceOf(machine, this.#parts.made, this.#parts.clock.now());
  }

  #instances(machines: readonly OwnedMachine[]): Promise<Instance[]> {
    return Promise.all(machines.map((machine) => this.#instance(machine)));
  }
}
