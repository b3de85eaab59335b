/**
 * Begins one attempt: a fleet of one machine. What makes a repeat harmless is the token: with the same parameters EC2 gives the
 * same answer again. Where that does not hold (other parameters by now, a token that is no longer remembered), the machine is
 * looked for by its tags before anything new is asked for.
 */

import { defined } from '../../../base/defined.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import type { State } from '../../../state/contract.ts';
import type { CreateProgress, CreateRequest } from '../../contract.ts';
import type { SoldTypes, TypeIndex } from '../../shape-store.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import type { Ec2Request } from '../calls/error-rules.ts';
import { codeIn, ruleOf } from '../calls/errors.ts';
import { type Buyer, quotaClassLabel } from '../catalog/labels.ts';
import { toHandle } from '../handle.ts';
import { isOwned, type Machine } from '../instance.ts';
import type { JoinedCluster } from '../joined-cluster.ts';
import type { Machines } from '../machines.ts';
import type { Ec2NodeClasses } from '../node-class/resolve.ts';
import type { ResolvedEc2Class } from '../node-class/resolved.ts';
import type { Shapes } from '../shapes.ts';
import { isSameOwner, tagsFor } from '../tags.ts';
import { type LaunchParts, launchable } from './candidates.ts';
import { type Candidate, type FleetOutcome, fleetInput, readFleet, within } from './fleet.ts';
import type { LaunchTemplates, WantedTemplate } from './launch-templates.ts';

export interface LaunchOptions {
  calls: Pick<Ec2Calls, 'ec2' | 'region'>;
  classes: Pick<Ec2NodeClasses, 'resolve' | 'ensureInstanceProfile' | 'forget'>;
  types(resolved: ResolvedEc2Class, signal: AbortSignal): Promise<Result<SoldTypes>>;
  setUp: LaunchParts['setUp'];
  cluster: JoinedCluster;
  templates: LaunchTemplates;
  machines: Machines;
  shapes: Shapes;
  state: State;
  clock: Clock;
  buyer: Buyer;
  scope: string;
  /** EC2 refuses launches within fleets as too many. */
  slowDown(): void;
}

/** A machine is `pending` for some seconds; asking earlier only costs calls. */
const bootSeconds = 5;
/** EC2 remembers tokens for longer. A claim younger than this has none that could be forgotten. */
const tokenMs = 3_600_000;
/** So long a launch is not tried again after EC2 said that something of its class is gone. */
const quietSeconds = 10;
const fullMs = 180_000;

export class Launch {
  readonly #options: LaunchOptions;
  /** Tokens that this process has sent: one that comes again may be of a machine that runs by now. */
  readonly #sent = new RecentMap<string, true>({ max: 5000 });
  readonly #full: RecentMap<string, true>;
  readonly #asked: Ec2Request;

  constructor(options: LaunchOptions) {
    this.#options = options;
    const { clock } = options;
    this.#full = new RecentMap({ max: 1000, forget: { afterMs: fullMs, now: () => clock.now() } });
    this.#asked = { service: 'ec2', action: 'CreateFleet', region: options.calls.region, write: true };
  }

  async begin(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const { classes, machines, clock } = this.#options;
    const resolved = await classes.resolve(request.nodeClass, signal);
    if (!resolved.ok) return resolved;
    if (clock.now() - request.claim.createdAt > tokenMs) {
      const made = await machines.ofToken(request.token, signal);
      if (!made.ok) return made;
      const found = await this.#goOnWith(made.value, request);
      if (found !== undefined) return found;
    }
    const quiet = await this.#quiet(request);
    if (quiet !== undefined) return quiet;
    const plan = await this.#plan(request, resolved.value, signal);
    if (!plan.ok) return plan;
    return this.#send(request, resolved.value, plan.value, signal, true);
  }

  async #plan(
    request: CreateRequest,
    resolved: ResolvedEc2Class,
    signal: AbortSignal,
  ): Promise<Result<{ candidates: Candidate[]; templates: WantedTemplate[]; types: TypeIndex }>> {
    const { classes, cluster, setUp } = this.#options;
    const sold = await this.#options.types(resolved, signal);
    if (!sold.ok) return sold;
    const joined = await cluster(signal);
    if (!joined.ok) return joined;
    const types = sold.value.byName;
    const isFull = (subnet: string): boolean => this.#full.has(subnet);
    const wanted = launchable({ request, resolved, cluster: joined.value, types, setUp, isFull });
    if (!wanted.ok) return wanted;
    const profile = await classes.ensureInstanceProfile(resolved, signal);
    if (!profile.ok) return profile;
    return ok({ ...wanted.value, types });
  }

  async #send(
    request: CreateRequest,
    resolved: ResolvedEc2Class,
    plan: { candidates: Candidate[]; templates: WantedTemplate[]; types: TypeIndex },
    signal: AbortSignal,
    again: boolean,
  ): Promise<Result<CreateProgress>> {
    const { calls, templates, buyer, classes } = this.#options;
    const { candidates } = plan;
    const names = plan.templates.map(({ name }) => name);
    const ensured = await templates.ensure(plan.templates, request.owner, resolved.spec.tags ?? {});
    if (!ensured.ok) return ensured;
    const repeated = this.#sent.has(request.token);
    const { context } = resolved.spec;
    const input = fleetInput({
      token: request.token,
      candidates,
      tags: tagsFor(request, buyer.clusterName, resolved.spec.tags),
      ...defined({ context }),
    });
    const answer = await calls.ec2('CreateFleet', input, signal);
    if (!answer.ok) {
      const { error } = answer;
      if (error.kind === 'not-found') {
        // Refused as a whole, so the token is not used: the same call again, once.
        await templates.forget(names);
        if (again) return this.#send(request, resolved, plan, signal, false);
        return failed('unavailable', error.message, defined({ cause: error.cause }));
      }
      if (codeIn(error).startsWith('Idempotent')) return this.#resolve(request, error, signal);
      if (ruleOf(error)?.staleClass) classes.forget();
      if (error.kind === 'outcome-unknown') this.#sent.set(request.token, true);
      return { ok: false, error: this.#scoped(error, request, plan.types) };
    }
    if (answer.value.FleetId === undefined) {
      return failed('outcome-unknown', 'EC2 returned an invalid response to a launch');
    }
    this.#sent.set(request.token, true);
    const outcome = readFleet(answer.value, candidates, this.#asked, {
      buyer,
      className: resolved.name,
      quotaScope: (one) => quotaScope(one, plan.types),
      isReplaced: (subnetId, zone) => this.#isReplaced(subnetId, zone, resolved),
    });
    if (outcome.instanceId === undefined) return this.#notMade(request, names, outcome);
    const { instanceId: id, instanceType, refused } = outcome;
    if (instanceType !== undefined) await this.#options.shapes.keep(request.nodeClass.name, instanceType);
    return this.#begun(request, id, refused, repeated, signal);
  }

  async #begun(
    { owner }: CreateRequest,
    id: string,
    refused: FleetOutcome['refused'],
    repeated: boolean,
    signal: AbortSignal,
  ): Promise<Result<CreateProgress>> {
    const more = refused.length === 0 ? {} : { refused };
    const handle = toHandle({ do: 'create', id, owner, at: this.#options.clock.now() });
    if (repeated) {
      const seen = await this.#options.machines.get(id, signal);
      if (seen.ok && seen.value?.state === 'running' && isOwned(seen.value)) {
        return ok({ done: true, instance: await this.#options.shapes.instanceOf(seen.value), ...more });
      }
    }
    return ok({ done: false, handle, retryAfterSeconds: bootSeconds, ...more });
  }

  async #notMade(
    request: CreateRequest,
    templates: readonly string[],
    { failure, stale, throttled }: FleetOutcome,
  ): Promise<Result<never>> {
    if (throttled) this.#options.slowDown();
    if (stale === 'class') {
      this.#options.classes.forget();
      await this.#options.state
        .put(this.#quietKey(request), { why: failure?.message.slice(0, 500) ?? '' }, { ttlSeconds: quietSeconds })
        .catch(() => undefined);
    }
    if (stale === 'template') await this.#options.templates.forget(templates);
    return { ok: false, error: failure ?? { kind: 'unavailable', message: 'EC2 did not launch an instance' } };
  }

  /** What was sent under this token before had other parameters. Its machine is found by the token that it carries. */
  async #resolve(request: CreateRequest, mismatch: Failure, signal: AbortSignal): Promise<Result<CreateProgress>> {
    const made = await this.#options.machines.ofToken(request.token, signal);
    if (!made.ok) return made;
    const found = await this.#goOnWith(made.value, request);
    if (found !== undefined) return found;
    // A list may lag: that nothing is there now proves nothing.
    return failed('outcome-unknown', mismatch.message, defined({ cause: mismatch.cause }));
  }

  async #goOnWith(machines: readonly Machine[], request: CreateRequest): Promise<Result<CreateProgress> | undefined> {
    const theirs = machines.find(({ owner }) => owner === undefined || !isSameOwner(owner, request.owner));
    const ours = machines.filter(isOwned).filter(({ owner }) => isSameOwner(owner, request.owner));
    const best = ours.find(({ state }) => state !== 'terminated') ?? ours[0];
    if (best !== undefined) {
      if (best.state === 'running') return ok({ done: true, instance: await this.#options.shapes.instanceOf(best) });
      const handle = toHandle({ do: 'create', id: best.id, owner: request.owner, at: best.launchedAt });
      return ok({ done: false, handle, retryAfterSeconds: bootSeconds });
    }
    if (theirs === undefined) return undefined;
    const whose = theirs.owner === undefined ? 'no deployment of Poolwright' : `deployment ${theirs.owner.deployment}`;
    return failed('conflict', `the token of this attempt is in use by ${theirs.id}, which belongs to ${whose}`);
  }

  /** Only a later attempt may come right after one that EC2 refused for something that is gone. */
  async #quiet(request: CreateRequest): Promise<Result<never> | undefined> {
    if (request.owner.attempt === 1) return undefined;
    const entry = await this.#options.state.get<{ why: string }>(this.#quietKey(request)).catch(() => undefined);
    if (entry === undefined) return undefined;
    const left = Math.max(1, ((entry.expiresAt ?? 0) - this.#options.clock.now()) / 1000);
    return failed('not-ready', entry.value.why, { retryAfterSeconds: left });
  }

  #quietKey({ nodeClass }: CreateRequest): string {
    return `ec2/quiet/${this.#options.scope}/${nodeClass.name}`;
  }

  /** A refusal of the call as a whole: its rule says what else it holds for. */
  #scoped(failure: Failure, { offering, nodeClass }: CreateRequest, types: TypeIndex): Failure {
    const rule = ruleOf(failure);
    const { buyer } = this.#options;
    const where = { buyer, className: nodeClass.name };
    const scope = within(where, rule?.byQuotaClass ? quotaScope(offering, types) : rule?.scope?.(offering));
    return scope === undefined ? failure : { ...failure, scope };
  }

  #isReplaced(subnetId: string, zone: string, { subnets }: ResolvedEc2Class): boolean {
    this.#full.set(subnetId, true);
    return subnets.some((subnet) => subnet.zone === zone && !this.#full.has(subnet.id));
  }
}

function quotaScope(
  { instanceType, capacityType }: OfferingRef,
  types: TypeIndex,
): { labels: Record<string, string>; capacityType: OfferingRef['capacityType'] } | undefined {
  const quotaClass = types.get(instanceType)?.labels[quotaClassLabel];
  return quotaClass === undefined ? undefined : { labels: { [quotaClassLabel]: quotaClass }, capacityType };
}
