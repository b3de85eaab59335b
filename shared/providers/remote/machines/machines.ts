/**
 * The machines of all servers. A list of a server has everything that it knows of names, so whoever looks for one machine asks for all, and
 * everyone who asks meanwhile shares the next list: each list began after everyone that it answers had asked.
 */
import { failed, ok, type Result } from '../../../base/result.ts';
import { untilAborted } from '../../../base/until-aborted.ts';
import type { ListedMachine } from '../../../drivers/contract.ts';
import type { InstanceTags } from '../../contract.ts';
import type { Servers } from '../servers/servers.ts';
import { ownerInName } from './machine-name.ts';
import { ownerInTags } from './machine-tags.ts';
import type { Made } from './made.ts';

type Scope = Pick<InstanceTags, 'deployment' | 'cluster'>;

export interface OwnedMachine {
  server: string;
  /** The server's own id. */
  id: string;
  name: string;
  power: string;
  owner: InstanceTags;
  /** As far as it is known. */
  claimName: string;
  made?: Made;
}

type Listed = Result<readonly ListedMachine[]>;

interface Line {
  running: Promise<unknown>;
  next: Promise<Listed> | undefined;
}

const listMs = 60_000;

export class Machines {
  readonly #servers: Servers;
  readonly #lines = new Map<string, Line>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Of one server, whoever owns them. */
  async listed(server: string, signal: AbortSignal): Promise<Listed> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const answer = await untilAborted(this.#next(server), signal);
    return answer ?? failed('unavailable', 'the call was stopped before it was answered');
  }

  /** Of one name on one server; servers of others may have several. */
  async named(server: string, name: string, signal: AbortSignal): Promise<Result<ListedMachine[]>> {
    const listed = await this.listed(server, signal);
    if (!listed.ok) return listed;
    return ok(listed.value.filter((one) => one.name === name).sort((a, b) => (a.id < b.id ? -1 : 1)));
  }

  /** Ours on one server, each name once. */
  async owned(server: string, scope: Scope, signal: AbortSignal): Promise<Result<OwnedMachine[]>> {
    const listed = await this.listed(server, signal);
    if (!listed.ok) return listed;
    const all = new Map<string, OwnedMachine>();
    for (const machine of [...listed.value].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const owned = ownedBy(scope, server, machine);
      // Of several the one that runs.
      if (owned && (!all.has(owned.name) || (machine.power === 'On' && all.get(owned.name)?.power !== 'On'))) {
        all.set(owned.name, owned);
      }
    }
    return ok([...all.values()]);
  }

  /** One that cannot be asked may have what is looked for: so all have to answer. */
  async ownedEverywhere(scope: Scope, signal: AbortSignal): Promise<Result<OwnedMachine[]>> {
    const answers = await Promise.all(this.#servers.names.map((server) => this.owned(server, scope, signal)));
    const all: OwnedMachine[] = [];
    for (const answer of answers) {
      if (!answer.ok) return answer;
      all.push(...answer.value);
    }
    return ok(all);
  }

  #next(server: string): Promise<Listed> {
    const line = this.#lines.get(server);
    if (line === undefined) {
      const list = this.#list(server);
      const first: Line = { running: list, next: undefined };
      this.#lines.set(server, first);
      void list.finally(() => {
        if (first.next === undefined) this.#lines.delete(server);
      });
      return list;
    }
    line.next ??= line.running.then(() => {
      const list = this.#list(server);
      const following: Line = { running: list, next: undefined };
      this.#lines.set(server, following);
      void list.finally(() => {
        if (following.next === undefined && this.#lines.get(server) === following) this.#lines.delete(server);
      });
      return list;
    });
    return line.next;
  }

  async #list(server: string): Promise<Listed> {
    const driver = this.#servers.driver(server);
    return driver.ok ? driver.value.list(AbortSignal.timeout(listMs)) : driver;
  }
}

/** The tags say it, where the server keeps them; a machine without any of ours is whose its name says. */
export function ownedBy(scope: Scope, server: string, machine: ListedMachine): OwnedMachine | undefined {
  const { id, name, power } = machine;
  const named = ownerInName(name, scope);
  const tagged = ownerInTags(machine.tags);
  const of = { server, id, name, power };
  if (tagged !== undefined) {
    const isOurs = tagged.owner.deployment === scope.deployment && tagged.owner.cluster === scope.cluster;
    // A clone of a machine of ours has its tags, and another name.
    if (!isOurs || named?.claimUid !== tagged.owner.claimUid || named.attempt !== tagged.owner.attempt) return;
    return { ...of, ...tagged };
  }
  if (named === undefined) return;
  const { claimUid, attempt, claimName } = named;
  const { deployment, cluster } = scope;
  return { ...of, owner: { deployment, cluster, claimUid, attempt }, claimName };
}
