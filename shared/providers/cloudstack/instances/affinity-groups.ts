/**
 * Affinity groups that we make, one for each pool: its VMs are to be on different hosts, or on the same. An administrator may limit how
 * many VMs a group takes, so a pool has as many groups as it needs. A name is given once in an account, so two that make the same group
 * at once end up with one.
 */
import { fingerprint } from '../../../base/fingerprint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { labels as labelKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { State } from '../../../state/contract.ts';
import type { CreateRequest, InstanceTags } from '../../contract.ts';

export interface AffinityGroupsParts {
  client: Pick<CloudStackClient, 'call' | 'list' | 'job'>;
  scope(signal: AbortSignal): Promise<Result<Params>>;
  state: State;
  clock: Clock;
  /** Most VMs in one group, as the administrator has set it. */
  mostMembers: number;
}

interface Group {
  id: string;
  name: string;
  type: string;
  members: number;
}

/** What is known of members is a little old: several processes may fill a group at the same time. */
const keptMs = 15_000;
const mostGroups = 100;
/** A group stays for so long after it was used last or was first seen empty: a deploy that names it may be on its way. */
const emptyMs = 600_000;
const usedSeconds = 86_400;

export class AffinityGroups {
  readonly #parts: AffinityGroupsParts;
  /** By the beginning of the name. */
  readonly #known = new RecentMap<string, { at: number; groups: Promise<Result<Group[]>> }>({ max: 200 });
  readonly #making = new Map<string, Promise<Result<Group>>>();

  constructor(parts: AffinityGroupsParts) {
    this.#parts = parts;
  }

  /** The group for the VM of this attempt: the first with room, and a new one when all are full. */
  async groupFor(request: CreateRequest, type: string, signal: AbortSignal): Promise<Result<string>> {
    const prefix = prefixFor(request, type);
    for (let tried = 0; tried < mostGroups; tried++) {
      const groups = await this.#groups(prefix, signal);
      if (!groups.ok) return groups;
      const byName = new Map(groups.value.map((group) => [group.name, group]));
      for (let number = 1; number <= mostGroups; number++) {
        const name = `${prefix}-${number}`;
        const group = byName.get(name);
        if (group === undefined) {
          const made = await this.#make(prefix, name, type, signal);
          if (!made.ok) return made;
          return this.#take(made.value);
        }
        if (group.members < this.#parts.mostMembers) return this.#take(group);
      }
    }
    return failed('quota-exceeded', `pool of claim ${request.claimName} has ${mostGroups} affinity groups, all full`);
  }

  /** CloudStack says that one of them is full or gone. */
  forget({ owner }: Pick<CreateRequest, 'owner'>): void {
    const prefix = ownPrefix(owner);
    for (const [key] of [...this.#known.entries()]) if (key.startsWith(prefix)) this.#known.delete(key);
  }

  /** Deletes groups of ours that have been empty for a while. Whatever goes wrong here costs nothing and is tried again. */
  async sweep(owner: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<void> {
    const { client, state, clock } = this.#parts;
    const listed = await this.#list(ownPrefix(owner), signal);
    if (!listed.ok) return;
    for (const { id, members } of listed.value) {
      const key = usedKey(id);
      const used = await state.get<{ at: number }>(key).catch(() => undefined);
      if (members > 0) continue;
      if (used === undefined) {
        await state.put(key, { at: clock.now() }, { ttlSeconds: usedSeconds }).catch(() => undefined);
        continue;
      }
      if (clock.now() - used.value.at < emptyMs) continue;
      await client.call('deleteAffinityGroup', { id }, signal);
      this.#known.clear();
    }
  }

  async #take(group: Group): Promise<Result<string>> {
    const { state, clock } = this.#parts;
    group.members++;
    await state.put(usedKey(group.id), { at: clock.now() }, { ttlSeconds: usedSeconds }).catch(() => undefined);
    return ok(group.id);
  }

  async #groups(prefix: string, signal: AbortSignal): Promise<Result<Group[]>> {
    const { clock } = this.#parts;
    const known = this.#known.get(prefix);
    if (known !== undefined && clock.now() - known.at < keptMs) return known.groups;
    const groups = this.#list(prefix, signal);
    this.#known.set(prefix, { at: clock.now(), groups });
    const answer = await groups;
    if (!answer.ok) this.#known.delete(prefix);
    return answer;
  }

  async #list(prefix: string, signal: AbortSignal): Promise<Result<Group[]>> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const params = { keyword: prefix, ...scope.value };
    const listed = await this.#parts.client.list<JsonObject>('listAffinityGroups', params, signal);
    if (!listed.ok) return listed;
    return ok(
      listed.value.flatMap(({ id, name, type, virtualmachineIds: members }) =>
        typeof id === 'string' && typeof name === 'string' && name.startsWith(`${prefix}-`)
          ? [
              {
                id,
                name,
                type: typeof type === 'string' ? type : '',
                members: Array.isArray(members) ? members.length : 0,
              },
            ]
          : [],
      ),
    );
  }

  /** Many claims of a new pool ask at once: one of them makes the group, and all wait for it. */
  #make(prefix: string, name: string, type: string, signal: AbortSignal): Promise<Result<Group>> {
    const making =
      this.#making.get(name) ??
      this.#create(prefix, name, type, signal).finally(() => {
        this.#making.delete(name);
      });
    this.#making.set(name, making);
    return making;
  }

  async #create(prefix: string, name: string, type: string, signal: AbortSignal): Promise<Result<Group>> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const params = { name, type, description: 'made by Poolwright', ...scope.value };
    const made = await this.#parts.client.call<JsonObject>('createAffinityGroup', params, signal);
    if (made.ok && typeof made.value.id === 'string') {
      const group = { id: made.value.id, name, type, members: 0 };
      const known = await this.#known.get(prefix)?.groups;
      if (known?.ok && !known.value.some((one) => one.name === name)) known.value.push(group);
      return ok(group);
    }
    // Another process was quicker, or the answer was lost: the name leads to it.
    const listed = await this.#list(prefix, signal);
    if (!listed.ok) return listed;
    const found = listed.value.find((group) => group.name === name);
    if (found !== undefined) {
      const groups = Promise.resolve(listed);
      this.#known.set(prefix, { at: this.#parts.clock.now(), groups });
      return ok(found);
    }
    return made.ok ? failed('unavailable', `createAffinityGroup: CloudStack did not return the group ${name}`) : made;
  }
}

const usedKey = (id: string): string => `cloudstack/affinity-group/${id}`;

/** Apart by deployment and cluster: what others made is never changed. */
const ownPrefix = ({ deployment, cluster }: Pick<InstanceTags, 'deployment' | 'cluster'>): string =>
  `poolwright-${fingerprint({ deployment, cluster }).slice(0, 12)}`;

/** The pool, or the class of claims without one. The type is part of it: it cannot be changed afterwards. */
function prefixFor({ owner, claim, nodeClass }: CreateRequest, type: string): string {
  const pool = claim.labels[labelKeys.nodePool];
  const of = pool === undefined ? { class: nodeClass.name } : { pool };
  const readable = (pool ?? nodeClass.name).slice(0, 100);
  return `${ownPrefix(owner)}-${readable}-${fingerprint({ ...of, type }).slice(0, 8)}`;
}
