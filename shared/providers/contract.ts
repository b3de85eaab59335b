/**
 * The provider port: code that makes, finds, lists and deletes instances on one cloud.
 * Every provider passes `test/conformance/providers/conformance.ts`.
 *
 * The rules that hold for every method:
 * - It never blocks on a long-running operation: it begins, and returns a handle that fits a journal and outlives a crash.
 * - Expected failures are returned (`Result`), never thrown. A timeout after the request may have left us is
 *   `outcome-unknown`, never `unavailable`.
 * - It stops when the signal fires, and never touches anything that does not carry this deployment's ownership.
 * - Whoever calls may have called before and lost the answer.
 */

import type { Check } from '../base/checks.ts';
import type { Json } from '../base/json.ts';
import type { ConditionStatus } from '../base/kubernetes/object.ts';
import type { Result } from '../base/result.ts';
import type { InstanceType, OfferingRef, RefusedOffering } from '../nodes/claims/choice/offerings.ts';
import type { InterruptionKind } from '../nodes/claims/interruption-rules.ts';
import type { NameLimits } from '../nodes/claims/spec/name-limits.ts';
import type { ResourceList, Taint } from '../nodes/claims/spec/types.ts';
import type { CapacityType } from '../nodes/claims/spec/well-known.ts';
import type { ClaimSelector } from './claim-selector.ts';

export type { ServedClaim } from './claim-selector.ts';

import type { InstanceIdPattern } from './instance-id.ts';

/** The tags that every instance carries; they are how we know our own. */
export interface InstanceTags {
  deployment: string;
  /** The uid of the cluster's kube-system namespace: it survives renames and tells two clusters of one name apart. */
  cluster: string;
  claimUid: string;
  attempt: number;
}

/** Whose instances are looked for. */
export interface ClaimKey extends Omit<InstanceTags, 'attempt'> {
  claimName: string;
  /**
   * When the claim was created, in milliseconds. Where a predecessor's instances carry no tags of ours, name and age
   * together say whether one was made for this claim or for an earlier one of that name.
   */
  createdAt?: number;
}

/** What a provider may map of the claim itself, beyond labels and taints that every node gets. */
export interface ClaimFacts {
  createdAt: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: Taint[];
  startupTaints: Taint[];
  /** Quantities as they were written, such as `{ storage: '120Gi' }`. */
  requests: ResourceList;
}

export interface CreateRequest {
  owner: InstanceTags;
  /** The place that was written down for this attempt; a provider that makes its machines elsewhere by now answers `not-ready`. */
  place?: string;
  claimName: string;
  claim: ClaimFacts;
  /** Deterministic from claim uid and attempt, within `traits.names`. */
  name: string;
  /** Idempotency token, deterministic from claim uid and attempt. */
  token: string;
  offering: OfferingRef;
  /**
   * What would do as well, best first, of the same capacity type: only where `traits.alternatives` says so. The cloud gives one
   * of all these, and the instance says which. A repeat after a crash may name others or none: it still finds the first one's work.
   */
  alternatives?: readonly OfferingRef[];
  /** The node class's spec, validated by the provider. */
  nodeClass: { name: string; spec: Json };
  labels: Record<string, string>;
  /** What the node must carry when it joins: the unregistered taint, the claim's taints and startup taints. */
  taints: Taint[];
}

export interface Instance {
  /** The provider's own id; unique for ever, so a delete by it can't hit a namesake. */
  id: string;
  /**
   * What the Node will say in spec.providerID. Where that is known only once the Node is there, it is a stand-in until
   * then, and may be another one after the machine was replaced: two providerIDs are of one instance if `instanceIdOf` finds the same id in both.
   */
  providerID: string;
  /** There while the instance can't be used yet, because its Node is not known: `pollCreate` goes on with it. */
  handle?: Json;
  owner: InstanceTags;
  /** The name under which its claim is looked up; the uid in `owner` decides whether it is that claim. */
  claimName: string;
  name: string;
  offering: OfferingRef;
  state: 'creating' | 'running' | 'deleting';
  /**
   * What the cloud shows of it, and no message announces: it was stopped, it is broken, its time is almost up. When that is seen twice,
   * its claim ends as it would by a message.
   */
  ending?: { kind: InterruptionKind; reason: string };
  /** What somebody changed at the cloud, in words: it is no longer what was asked for, and has drifted. */
  changed?: string;
  /** When the cloud takes it back, if it has announced that and says so of the instance itself. */
  interruptsAt?: number;
  createdAt: number;
  imageID?: string;
  nodeName?: string;
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  labels?: Record<string, string>;
}

/** `retryAfterSeconds` is when to ask again; the provider knows best. */
export type CreateProgress =
  | { done: true; instance: Instance; refused?: RefusedOffering[] }
  | {
      done: false;
      handle: Json;
      retryAfterSeconds: number;
      /** What was tried before one could be had, and could not. */
      refused?: RefusedOffering[];
      /** The cloud is through, and only the Node is awaited: the turn (`traits.operationsAtOnce`) goes to the next one. */
      operationEnded?: boolean;
    };

/** It does not run and never will again, and yet the cloud keeps it for a while; the state is in the words of the cloud. */
export interface KeptByCloud {
  instance: string;
  state: string;
}

export type DeleteProgress =
  | { done: true; kept?: KeptByCloud }
  | { done: false; handle: Json; retryAfterSeconds: number };

/**
 * What to delete. The owner is checked again at the provider, by a conditional write where the API has one: a thing that
 * carries another owner is not touched, and the answer is `invalid`.
 */
export interface DeleteTarget {
  id: string;
  owner: InstanceTags;
  claimName?: string;
  createdAt?: number;
}

export interface ProviderTraits {
  /**
   * What makes a repeated create harmless.
   * `token`: the cloud remembers a client token. `name`: one name per attempt, a second create finds the first.
   * `claim-name`: one name for all attempts of a claim; an existing thing of another attempt is a `conflict`.
   * `none`: nothing does; the write right is granted once per attempt, everybody else waits and looks.
   */
  idempotency: 'token' | 'name' | 'claim-name' | 'none';
  /** T: the hard limit on one provider write, counted from the patch that took the right to it. */
  writeSeconds: number;
  /** How long after the caller gave up an effect may still land. */
  latenessSeconds: number;
  /** How long a list may fail to show what exists. */
  listLagSeconds: number;
  names: NameLimits;
  deadlines: { launchSeconds: number; registrationSeconds: number; initializationSeconds: number };
  abilities: readonly Ability[];
  /**
   * So many creates and deletes may run at once in one cluster; more would be refused as `conflict`. Whoever begins one
   * waits for a turn first, and that wait counts against no deadline. Absent: no limit.
   */
  operationsAtOnce?: number;
  /**
   * Requested resources that are made to measure (a disk): no instance type is rejected for them, and no Node has to
   * show them.
   */
  madeToMeasure?: readonly string[];
  /** So many further offerings one create may name, from which the cloud takes what it has. Absent: none. */
  alternatives?: number;
  /**
   * What it reports as created has joined, or joins within moments: it pays to wait for the Node and to write once what is reached by
   * then. Absent: a machine that is created has yet to boot.
   */
  joinsSoon?: true;
  /** Capacity types are tried in this order, and by price within one. Absent: by price alone. */
  capacityTypeOrder?: readonly CapacityType[];
}

/** A kind of node class. */
export interface NodeClassKind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  /** Claims may refer to a class that does not exist, or whose kind the cluster does not serve: it then has an empty spec. */
  optional?: boolean;
}

/** `spot`: it offers spot capacity. `interruption-notices`: its cloud announces that it takes an instance back. */
export type Ability = 'spot' | 'interruption-notices';

/** One part of a node class, told by itself in its status. */
export interface NodeClassCondition {
  type: string;
  status: ConditionStatus;
  /** Of one that is not True. */
  reason?: string;
  message: string;
}

/** What a node class comes to at the provider right now. */
export interface ResolvedNodeClass {
  /** Whether claims can be made with it. */
  ready: boolean;
  /** Why not, as one word for programs and a sentence for people. */
  reason?: string;
  message?: string;
  /** Besides Ready, where the provider tells parts of the class by themselves; always the same types. */
  conditions?: readonly NodeClassCondition[];
  /** What its selectors found, for its status: images, zones, instance types. Only fields that its CRD knows. */
  resolved: { [field: string]: Json };
  /** Changes when a machine made now would differ from one made before: then the older ones have drifted. */
  hash?: string;
  /**
   * The images of which machines are made now. A machine whose own is not among them has drifted; one more image, which is
   * for other machines, changes nothing for it, and so is not in the hash.
   */
  images?: readonly string[];
}

/** One limit that the cloud sets to what may be had at once. */
export interface Quota {
  /** As the cloud calls it, so that it can be asked for more of it. */
  name: string;
  used: number;
  limit: number;
  /** What is counted: `vCPU`, `instances`. */
  unit: string;
  /** The instance types that count against it, where the provider can tell; absent: nobody knows which. */
  instanceTypes?: readonly string[];
  /** Every machine counts against it, by what it has in this unit: a limit of the account that all types share. */
  ofAllTypes?: true;
}

/** A machine of a claim that another provisioner made. `adopted`: it carries our tags already. */
export interface Adoption {
  instance: Instance;
  adopted: boolean;
  /** What was put on it, or would be, as the cloud names it: never a secret. */
  tags: Readonly<Record<string, string>>;
}

export interface Provider {
  readonly name: string;
  readonly traits: ProviderTraits;
  /** The node classes it serves: `{ group: 'poolwright.dev', kind: 'SimNodeClass' }`. */
  readonly nodeClasses: readonly NodeClassKind[];

  /** Which claims of these classes it serves; absent: all of them. */
  readonly serves?: ClaimSelector;

  /**
   * Which claims that no pool owns end when they are older than their expireAfter; absent: all of them. The API server gives every
   * claim an expireAfter, also those of users whose provisioner never heeded it.
   */
  readonly expires?: ClaimSelector;

  /** Which providerIDs are of its instances, and where in them the id is (`instanceIdOf`). */
  readonly instanceIds: readonly InstanceIdPattern[];

  /**
   * Where it makes its machines right now, for a provider that the configuration or the cluster may point elsewhere; absent:
   * that never changes. What was made at another place is not gone, it only can't be seen from here: so the place is written
   * down with each attempt, and nobody judges by absence what was begun at another one.
   */
  place?(): Promise<Result<string>>;

  /**
   * Room for the create of this token in what the cloud takes per second: it may wait a little, or is `throttled`, with a place in
   * the line that is kept for the token. Asked before the right to write is taken, because whoever is put off here has certainly
   * written nothing, and an attempt that took its right once need not be waited for when it is deleted.
   */
  roomToCreate?(token: string, signal: AbortSignal): Promise<Result<void>>;

  /**
   * Idempotent by owner (claim uid and attempt) where the traits say so: a second call finds the first one's work, even
   * when the first one's answer was lost. A thing of the same name that is not this attempt's is a `conflict`.
   * Work that was there and is gone again still gets a handle where the cloud remembers it; its poll says `not-found`.
   * A failure whose repeat would be answered the same is `spent`: then the next try is another attempt.
   */
  beginCreate(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>>;
  /** `not-found` when the instance is gone, `conflict` while it is being deleted. */
  pollCreate(handle: Json, signal: AbortSignal): Promise<Result<CreateProgress>>;

  /** Deleting what is gone is done, not an error; so is deleting what another execution is already deleting. */
  beginDelete(target: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>>;
  /** It never writes: whoever begins a delete looks at the claim first. */
  pollDelete(handle: Json, signal: AbortSignal): Promise<Result<DeleteProgress>>;

  /** Every instance of a claim, of any attempt, those being deleted included. It may lag by `listLagSeconds`. */
  find(claim: ClaimKey, signal: AbortSignal): Promise<Result<Instance[]>>;
  /** One instance by its providerID, never from a lagging list; `not-found` when it is gone or not ours. */
  get(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    providerID: string,
    signal: AbortSignal,
  ): Promise<Result<Instance>>;
  /** Everything this deployment owns in the cluster, in pages. Absence from one list proves nothing. */
  list(
    owner: Pick<InstanceTags, 'deployment' | 'cluster'>,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ items: Instance[]; next?: string }>>;

  /**
   * All instance types with all their offerings; what can't be had now is there and marked so. A list that was given is not changed
   * any more: the very same list again means that nothing has changed, and what was made of it still holds.
   */
  instanceTypes(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<readonly InstanceType[]>>;

  /**
   * Optional: what the selectors of a node class resolve to. A class that is wrong, or names what does not exist, is an
   * answer (`ready: false`); a failure means that nobody could tell, and what was known stays.
   */
  resolveNodeClass?(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<ResolvedNodeClass>>;

  /**
   * Optional: whether it could work right now: who it is at the cloud, whether that may do what is needed, by name where the cloud
   * tells without doing, and whether the cloud can be reached. It never writes and never throws, no message holds a secret, and
   * whatever is wrong says how it is mended. When the signal fires, it answers with what it knows.
   */
  check?(owner: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<Check[]>;

  /** Optional: what limits the cloud sets here, and how much of each is used. An empty list: it sets none that is known. */
  quota?(signal: AbortSignal): Promise<Result<Quota[]>>;

  /**
   * Optional: takes away what is ours besides machines and belongs to none any more, and mends what a crash left out at those that are
   * there. Garbage collection asks for it where this deployment acts; reading never does it. What fails is tried the next time.
   */
  tidy?(owner: Pick<InstanceTags, 'deployment' | 'cluster'>, signal: AbortSignal): Promise<Result<void>>;

  /**
   * Optional: puts our tags on a machine that another provisioner made for this claim; a person asked for it. It touches exactly the
   * machine of that providerID, and only if the cloud says that it was made for this claim in this cluster and no deployment of
   * Poolwright has it: else it is `invalid`, and says why. What is ours already is an answer. With `dryRun` it only looks.
   * Absent: what a predecessor made is found without it, or can't be had at all.
   */
  adopt?(
    claim: ClaimKey,
    providerID: string,
    options: { dryRun: boolean },
    signal: AbortSignal,
  ): Promise<Result<Adoption>>;
}
