/**
 * From an EC2NodeClass to what machines are made of. A class that is wrong, or whose terms find nothing, is an answer and
 * says which term; a failure means that nobody could tell.
 *
 * @example
 * const classes = new Ec2NodeClasses({ calls, context, scope: `${account}/${region}`, cluster: () => … });
 * const resolved = await classes.resolve(request.nodeClass, signal);
 * if (!resolved.ok) return resolved; // `invalid` or `not-ready`, with the field
 */

import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { type LookupContext, Lookups } from '../../calls/lookups.ts';
import type { ResolvedNodeClass } from '../../contract.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { aliasParameters } from './alias-parameters.ts';
import { imagesOfAlias, imagesOfTerms, readParameters } from './images.ts';
import { makeProfile, profileOf, readProfile } from './instance-profile.ts';
import { userDataProblem } from './launch-template.ts';
import { findPlacementGroup, findSecurityGroups, findSubnets } from './network.ts';
import { type Alias, aliasOf, familyOf, parseNodeClass } from './parse.ts';
import { findReservations } from './reservations.ts';
import type { Ec2Cluster, ResolvedAmi, ResolvedEc2Class, ResolvedPlacementGroup } from './resolved.ts';
import type { AmiTerm, Ec2NodeClassSpec } from './schema.ts';
import { hashOf, statusOf } from './status.ts';
import { describeTerms } from './terms.ts';

export interface NodeClassesOptions {
  calls: Ec2Calls;
  context: LookupContext;
  /** Tells account and region apart in state, such as `123456789012/eu-west-1`. */
  scope: string;
  /** The cluster that nodes join; images are made for its version of Kubernetes. */
  cluster(signal: AbortSignal): Promise<Result<Ec2Cluster>>;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long each answer is used. Capacity that is left, and addresses, change by themselves; a release of an image never does. */
const fresh = {
  subnets: minute,
  groups: minute,
  images: minute,
  reservations: minute,
  placement: 5 * minute,
  profile: 15 * minute,
  release: day,
  moving: hour,
} as const;

type NotReady = { reason: string; message: string };
type Resolution = { ready: true; class: ResolvedEc2Class } | ({ ready: false } & NotReady);
/** An answer, or why a class can't be used. */
type Found<T> = { found: T } | { missing: NotReady };

export class Ec2NodeClasses {
  readonly #options: NodeClassesOptions;
  readonly #lookups: Lookups;

  constructor(options: NodeClassesOptions) {
    this.#options = options;
    this.#lookups = new Lookups(options.context, { cloud: 'AWS', scope: `ec2/${options.scope}` });
  }

  /** For launches and offerings: `invalid` and `not-ready` say what is wrong with the class. */
  async resolve(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<ResolvedEc2Class>> {
    const spec = parseNodeClass(nodeClass.spec);
    if (!spec.ok) {
      return failed('invalid', `EC2NodeClass ${nodeClass.name}: ${spec.error.message}`, { about: 'node-class' });
    }
    const resolution = await this.#resolve(nodeClass.name, spec.value, signal);
    if (!resolution.ok) return resolution;
    if (resolution.value.ready) return ok(resolution.value.class);
    return failed('not-ready', `EC2NodeClass ${nodeClass.name}: ${resolution.value.message}`);
  }

  /** For the status of the class. */
  async describe(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<ResolvedNodeClass>> {
    const spec = parseNodeClass(nodeClass.spec);
    if (!spec.ok) {
      return ok({ ready: false, reason: 'InvalidSpec', message: spec.error.message, resolved: {} });
    }
    const resolution = await this.#resolve(nodeClass.name, spec.value, signal);
    if (!resolution.ok) return resolution;
    if (!resolution.value.ready) {
      const { reason, message } = resolution.value;
      return ok({ ready: false, reason, message, resolved: {} });
    }
    const resolved = resolution.value.class;
    return ok({
      ready: true,
      resolved: statusOf(resolved, this.#options.context.clock.now()),
      hash: hashOf(resolved),
      images: resolved.amis.map(({ id }) => id),
    });
  }

  /** Before a launch: the instance profile is there, made if it is ours to make. */
  async ensureInstanceProfile(resolved: ResolvedEc2Class, signal: AbortSignal): Promise<Result<string>> {
    const { name, role } = resolved.instanceProfile;
    if (role === undefined) return ok(name);
    const { calls, context } = this.#options;
    const tags = { ...resolved.spec.tags, 'poolwright.dev/instance-profile': role };
    const made = await this.#lookups.ask(
      'made-profile',
      { name, role },
      fresh.profile,
      async (inner) => {
        const done = await makeProfile(calls, { name, role, tags }, inner);
        return done.ok ? ok(context.clock.now()) : done;
      },
      signal,
      { strict: true },
    );
    return made.ok ? ok(name) : made;
  }

  /** AWS has refused what we knew: an image, a subnet, a group or a profile that is gone. All is asked anew. */
  forget(): void {
    this.#lookups.forget();
  }

  close(): void {
    this.#lookups.close();
  }

  async #resolve(name: string, spec: Ec2NodeClassSpec, signal: AbortSignal): Promise<Result<Resolution>> {
    const cluster = await this.#options.cluster(signal);
    if (!cluster.ok) return cluster;
    const [amis, subnets, groups, reservations, placement, profile] = await Promise.all([
      this.#images(spec, cluster.value, signal),
      this.#subnets(spec, signal),
      this.#securityGroups(spec, signal),
      this.#reservations(spec, signal),
      this.#placementGroup(spec, signal),
      this.#profile(spec, cluster.value, signal),
    ]);
    if (!amis.ok) return amis;
    if (!subnets.ok) return subnets;
    if (!groups.ok) return groups;
    if (!reservations.ok) return reservations;
    if (!placement.ok) return placement;
    if (!profile.ok) return profile;
    if (
      'missing' in amis.value ||
      'missing' in subnets.value ||
      'missing' in groups.value ||
      'missing' in placement.value ||
      'missing' in profile.value
    ) {
      return ok(notReady([amis.value, subnets.value, groups.value, placement.value, profile.value]));
    }
    const placementGroup = placement.value.found;
    const resolved: ResolvedEc2Class = {
      name,
      spec,
      family: familyOf(spec),
      amis: amis.value.found,
      subnets: subnets.value.found,
      securityGroups: groups.value.found,
      reservations: reservations.value,
      instanceProfile: profile.value.found,
      ...(placementGroup === null ? {} : { placementGroup }),
    };
    const problem = userDataProblem(resolved, cluster.value);
    if (problem !== undefined) return ok({ ready: false, reason: 'UserDataInvalid', message: problem });
    return ok({ ready: true, class: resolved });
  }

  async #subnets({ subnetSelectorTerms: terms }: Ec2NodeClassSpec, signal: AbortSignal) {
    const read = (inner: AbortSignal) => findSubnets(this.#options.calls, terms, inner);
    const answer = await this.#lookups.ask('subnets', terms, fresh.subnets, read, signal);
    return someOf(answer, () => ({
      reason: 'SubnetsNotFound',
      message: `no subnet matches ${describeTerms(terms, 'spec.subnetSelectorTerms')} in ${this.#options.calls.region}; check ids and tags, and the region of the provider`,
    }));
  }

  async #securityGroups({ securityGroupSelectorTerms: terms }: Ec2NodeClassSpec, signal: AbortSignal) {
    const read = (inner: AbortSignal) => findSecurityGroups(this.#options.calls, terms, inner);
    const answer = await this.#lookups.ask('security-groups', terms, fresh.groups, read, signal);
    return someOf(answer, () => ({
      reason: 'SecurityGroupsNotFound',
      message: `no security group matches ${describeTerms(terms, 'spec.securityGroupSelectorTerms')} in ${this.#options.calls.region}; check ids, names and tags`,
    }));
  }

  /** None that is left is no fault of the class: there are the other capacity types. */
  #reservations({ capacityReservationSelectorTerms: terms = [] }: Ec2NodeClassSpec, signal: AbortSignal) {
    if (terms.length === 0) return Promise.resolve(ok([]));
    const read = (inner: AbortSignal) => findReservations(this.#options.calls, terms, inner);
    return this.#lookups.ask('reservations', terms, fresh.reservations, read, signal);
  }

  async #placementGroup(
    { placementGroupSelector: selector }: Ec2NodeClassSpec,
    signal: AbortSignal,
  ): Promise<Result<Found<ResolvedPlacementGroup | null>>> {
    if (selector === undefined) return ok({ found: null });
    const read = (inner: AbortSignal) => findPlacementGroup(this.#options.calls, selector, inner);
    const answer = await this.#lookups.ask('placement-group', selector, fresh.placement, read, signal);
    if (!answer.ok) return answer;
    if (answer.value !== null) return ok({ found: answer.value });
    const message = `there is no placement group ${selector.name ?? selector.id} (spec.placementGroupSelector); create it, or remove the field`;
    return ok({ missing: { reason: 'PlacementGroupNotFound', message } });
  }

  async #profile(
    spec: Ec2NodeClassSpec,
    cluster: Ec2Cluster,
    signal: AbortSignal,
  ): Promise<Result<Found<ResolvedEc2Class['instanceProfile']>>> {
    const profile = profileOf(spec, cluster.name);
    // Ours is made when it is needed; a look at a class writes nothing.
    if (profile.role !== undefined) return ok({ found: profile });
    const read = (inner: AbortSignal) => readProfile(this.#options.calls, profile.name, inner);
    const answer = await this.#lookups.ask('profile', profile.name, fresh.profile, read, signal);
    if (!answer.ok) return answer;
    const state = answer.value;
    const problem = !state.known
      ? undefined
      : !state.exists
        ? `there is no instance profile ${profile.name} (spec.instanceProfile) in this account; create it, or set a role in spec.role instead`
        : state.roles.length === 0
          ? `the instance profile ${profile.name} (spec.instanceProfile) has no role; add the role of the nodes to it`
          : undefined;
    if (problem === undefined) return ok({ found: profile });
    // Somebody is about to mend it: a quarter of an hour would be long.
    this.#lookups.doubt('profile');
    return ok({ missing: { reason: 'InstanceProfileNotFound', message: problem } });
  }

  async #images(
    spec: Ec2NodeClassSpec,
    cluster: Ec2Cluster,
    signal: AbortSignal,
  ): Promise<Result<Found<readonly ResolvedAmi[]>>> {
    const alias = aliasOf(spec);
    const found = await (alias === undefined ? this.#selected(spec, signal) : this.#aliased(alias, cluster, signal));
    return someOf(found, () => {
      const terms = describeTerms(spec.amiSelectorTerms, 'spec.amiSelectorTerms');
      const hint =
        alias === undefined
          ? 'check ids, names, tags and owner, and that the image is available to this account in this region'
          : `AWS publishes no such image for Kubernetes ${cluster.kubernetesVersion} there; check the version`;
      return { reason: 'AMINotFound', message: `no image matches ${terms} in ${this.#options.calls.region}; ${hint}` };
    });
  }

  async #aliased(alias: Alias, cluster: Ec2Cluster, signal: AbortSignal): Promise<Result<ResolvedAmi[]>> {
    const { calls, context } = this.#options;
    const parameters = aliasParameters(alias, cluster.kubernetesVersion);
    const names = parameters.map(({ name }) => name);
    const images = async (): Promise<Result<ResolvedAmi[]>> => {
      const ids = await this.#parameters(names, alias.version === 'latest' ? fresh.moving : fresh.release, signal);
      if (!ids.ok) return ids;
      const read = (inner: AbortSignal) => imagesOfAlias(calls, parameters, ids.value, context.clock.now(), inner);
      return this.#lookups.ask('images', { names, ids: ids.value }, fresh.images, read, signal);
    };
    const first = await images();
    if (!first.ok || first.value.length > 0) return first;
    // What SSM said may be a day old, and the image gone since.
    this.#lookups.doubt('parameters');
    return images();
  }

  async #selected({ amiSelectorTerms: terms }: Ec2NodeClassSpec, signal: AbortSignal): Promise<Result<ResolvedAmi[]>> {
    const { calls, context } = this.#options;
    const names = terms.flatMap(({ ssmParameter }) => ssmParameter ?? []);
    const ids = names.length === 0 ? ok({}) : await this.#parameters(names, fresh.moving, signal);
    if (!ids.ok) return ids;
    const byId = Object.entries<string>(ids.value)
      .filter(([name]) => names.includes(name))
      .map(([, id]): AmiTerm => ({ id }));
    const all = [...terms.filter(({ ssmParameter }) => ssmParameter === undefined), ...byId];
    if (all.length === 0) return ok([]);
    const read = (inner: AbortSignal) => imagesOfTerms(calls, all, context.clock.now(), inner);
    return this.#lookups.ask('images', all, fresh.images, read, signal);
  }

  #parameters(names: readonly string[], freshSeconds: number, signal: AbortSignal) {
    const read = (inner: AbortSignal) => readParameters(this.#options.calls, names, inner);
    return this.#lookups.ask('parameters', names, freshSeconds, read, signal);
  }
}

/** What was found, or why an empty list is not enough. */
function someOf<T>(answer: Result<T[]>, none: () => NotReady): Result<Found<readonly T[]>> {
  if (!answer.ok) return answer;
  return ok(answer.value.length > 0 ? { found: answer.value } : { missing: none() });
}

/** Everything that is wrong at once; the first gives the reason. */
function notReady(parts: readonly Found<unknown>[]): Resolution {
  const missing = parts.flatMap((part) => ('missing' in part ? [part.missing] : []));
  const message = missing.map((one) => one.message).join('; ');
  return { ready: false, reason: missing[0]?.reason ?? 'NotReady', message };
}
