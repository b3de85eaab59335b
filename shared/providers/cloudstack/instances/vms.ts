/**
 * Looking at VMs. What many claims ask at about the same time is one call. Lists go by what the display name says, because that is
 * there from the deploy on, and by tags for a VM that somebody has renamed.
 */

import { defined } from '../../../base/defined.ts';
import type { JsonObject } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { Timers } from '../../../base/timers.ts';
import { tags as tagKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { CloudStackClient, ListPage } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import { Merged } from '../../calls/merged-asks.ts';
import type { ClaimKey, InstanceTags } from '../../contract.ts';
import { tagFields } from './ownership.ts';
import { isGone, ownerOf, readVm, type Vm } from './vm.ts';

export interface VmsOptions {
  client: Pick<CloudStackClient, 'list' | 'page'>;
  /**
   * Account, domain or project, for every list. Never all that an administrator may see: names say whose a VM is, and anybody may give
   * a VM of his own any name.
   */
  scope(signal: AbortSignal): Promise<Result<Params>>;
  clock: Clock;
  timers?: Timers | undefined;
  windowMs?: number | undefined;
}

const command = 'listVirtualMachines';
/** Under a limit of some calls a second, looks must leave room for deploys. */
const usualWindowMs = 500;
/** Their ids are one field of a form. */
const mostIds = 100;
/** Without statistics, volumes and disk offerings, which cost the server a query each. */
const details = ['group', 'nics', 'tmpl', 'servoff', 'affgrp'];

export class Vms {
  readonly #client: VmsOptions['client'];
  readonly #scope: VmsOptions['scope'];
  readonly #looks: Merged<Vm | undefined>;

  constructor({ client, scope, clock, timers, windowMs = usualWindowMs }: VmsOptions) {
    this.#client = client;
    this.#scope = scope;
    this.#looks = new Merged({
      most: mostIds,
      windowMs,
      clock,
      ...defined({ timers }),
      stoppedAs: 'unavailable',
      ask: (ids, signal) => this.#describe(ids, signal),
    });
  }

  /** By its id, which is the surest way to see it. Undefined: CloudStack does not have it any more, or never had. */
  get(id: string, signal: AbortSignal): Promise<Result<Vm | undefined>> {
    return this.#looks.ask(id, signal);
  }

  /** Of any attempt, also one that was never tagged. What is destroyed is not among them. */
  async ofClaim({ deployment, cluster, claimUid }: ClaimKey, signal: AbortSignal): Promise<Result<Vm[]>> {
    const found = await this.#list({ keyword: claimUid }, `find/${claimUid}`, signal);
    if (!found.ok) return found;
    const isTheirs = (vm: Vm): boolean => {
      const owner = ownerOf(vm);
      return owner?.deployment === deployment && owner.cluster === cluster && owner.claimUid === claimUid;
    };
    return ok(found.value.filter((vm) => isTheirs(vm) && !isGone(vm)));
  }

  /** Also those whose display name a person has edited: their tags still say it. */
  async everyOfClaim(claim: ClaimKey, signal: AbortSignal): Promise<Result<Vm[]>> {
    const named = await this.ofClaim(claim, signal);
    if (!named.ok || named.value.length > 0) return named;
    const tags = tagFields({ [tagKeys.claimUid]: claim.claimUid });
    const tagged = await this.#list({ tags }, `tagged/${claim.claimUid}`, signal);
    return tagged.ok ? ok(tagged.value.filter((vm) => !isGone(vm))) : tagged;
  }

  /** Whoever's they are. CloudStack compares parts of names, so others are among what it lists. */
  async named(name: string, signal: AbortSignal): Promise<Result<Vm[]>> {
    const found = await this.#list({ name }, `named/${name}`, signal);
    return found.ok ? ok(found.value.filter((vm) => vm.name === name && !isGone(vm))) : found;
  }

  /** First those whose display name says that they are ours, then those of which only tags say so. */
  async page(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Vm[]; next?: string }>> {
    const at = placeIn(token);
    if (at === undefined) return failed('invalid', `this is not a page of the cloudstack provider: ${token}`);
    const scope = await this.#scope(signal);
    if (!scope.ok) return scope;
    const byTags = at.by === 'tags';
    const filter: Params = byTags
      ? { tags: tagFields({ [tagKeys.cluster]: owner.cluster }) }
      : { keyword: owner.cluster };
    const params = { ...filter, ...scope.value, details };
    const page = await this.#client.page<JsonObject>(command, params, at.page, signal, { who: 'pages' });
    if (!page.ok) return page;
    const items = page.value.items
      .flatMap((item) => readVm(item) ?? [])
      .filter((vm) => {
        const theirs = ownerOf(vm);
        const isOurs = theirs?.deployment === owner.deployment && theirs.cluster === owner.cluster;
        return isOurs && !isGone(vm) && !(byTags && vm.displayName?.includes(owner.cluster));
      });
    const { next } = page.value;
    if (next !== undefined) return ok({ items, next: tokenOf(at.by, next) });
    return ok(byTags ? { items } : { items, next: 'tags' });
  }

  /** @param who Keeps a place in the line for the next try: under many deploys whoever has none would wait as long as they last. */
  async #list(filter: Params, who: string, signal: AbortSignal): Promise<Result<Vm[]>> {
    const scope = await this.#scope(signal);
    if (!scope.ok) return scope;
    const params = { ...filter, ...scope.value, details };
    const listed = await this.#client.list<JsonObject>(command, params, signal, { who });
    return listed.ok ? ok(listed.value.flatMap((item) => readVm(item) ?? [])) : listed;
  }

  async #describe(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Result<Vm | undefined>>> {
    const [first = ''] = ids;
    const seen = await this.#list(ids.length === 1 ? { id: first } : { ids }, 'looks', signal);
    if (seen.ok) {
      const vms = new Map(seen.value.map((vm) => [vm.id, vm]));
      return new Map(ids.map((id) => [id, ok(vms.get(id))]));
    }
    if (seen.error.kind !== 'not-found') return new Map(ids.map((id) => [id, seen]));
    if (ids.length === 1) return new Map([[first, ok(undefined)]]);
    // One id that CloudStack has never seen spoils the call for all others.
    const answers = new Map<string, Result<Vm | undefined>>();
    for (const id of ids) for (const [key, one] of await this.#describe([id], signal)) answers.set(key, one);
    return answers;
  }
}

type By = 'name' | 'tags';

const tokenOf = (by: By, { number, size }: ListPage): string => `${by}:${number}:${size}`;

function placeIn(token = 'name'): { by: By; page: ListPage | undefined } | undefined {
  const [, by, number, size] = /^(name|tags)(?::(\d{1,9}):(\d{1,9}))?$/.exec(token) ?? [];
  if (by !== 'name' && by !== 'tags') return undefined;
  return { by, page: number === undefined ? undefined : { number: Number(number), size: Number(size) } };
}
