/** What activities are given to work with. A host builds it once; a test builds it from simulators and a manual clock. */
import type { Result } from '../../base/result.ts';
import type { Clock, Ids, Random } from '../../base/runtime.ts';
import type { ClusterSettingsSource } from '../../kube/cluster-settings.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { Log } from '../../observe/log/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { ClusterLeadership } from '../../ownership/standing.ts';
import type { Provider, ServedClaim } from '../../providers/contract.ts';
import type { Serving } from '../../providers/serving.ts';
import type { State } from '../../state/contract.ts';
import type { WorkflowClient } from '../../workflow/contract.ts';
import { keyFor, readId } from '../../workflow/keys.ts';

/**
 * The one way to name a claim: a name alone may be reused, a uid alone can't be read. Its age, in milliseconds, is for
 * providers that know a predecessor's instances by it; workflows from before it was kept have none.
 */
export type ClaimRef = { cluster: string; name: string; uid: string; createdAt?: number };

export interface ClusterServices {
  readonly name: string;
  readonly api: ClusterApi;
  /** The uid of kube-system; it is on every tag, so nothing is bought before it is known. */
  identity(): Promise<Result<string>>;
  /** Whether instances with this uid may be deleted because no claim here has them; otherwise why not. Absent: nobody else could have them. */
  collectable?(uid: string): Promise<Result<void>>;
  /** An operator says that the cluster is who it says, although it was another one before. */
  confirmIdentity?(): Promise<Result<string>>;
  readonly providers: readonly Provider[];
  /** From the name of a provider to its type; one that is not there is called like its type. */
  readonly providerTypes?: ReadonlyMap<string, string>;
  /** Who could serve this claim here; none: it is not ours. It asks nobody. */
  serving(claim: ServedClaim): readonly Serving[];
  /** Which of several serves a claim that does not say: names or types of providers, the most binding first. */
  preferredProviders(signal?: AbortSignal): Promise<Result<readonly string[]>>;
  /** No more claims than this hold a turn to have an instance. Absent: no limit. */
  readonly maxInstances?: number;
  /** A pool that asks for more nodes than this is a mistake. */
  readonly maxReplicas?: number;
  /** No more claims than this are deleted in a minute because of events. Absent: no limit. */
  readonly deletionsPerMinute?: number;
  /** Brakes set in the configuration; those set at run time stand in the state (`pauses.ts`). */
  readonly paused: boolean;
  readonly pausedProviders: ReadonlySet<string>;
  /** What the cluster's own ConfigMap says. */
  readonly settings: ClusterSettingsSource;
  readonly garbageCollection: { graceSeconds: number; maxDeletesPercent: number; maxDeletesAtLeast: number };
}

export interface LifecycleSettings {
  /** How long a sold-out offering is not tried again. */
  unavailableSeconds: number;
  /** However long the provider says. */
  unavailableAtMostSeconds: number;
  /** Pauses between tries of a claim that can't be had. */
  firstPauseSeconds: number;
  maxPauseSeconds: number;
  /** A claim younger than this can't stand in any backup: its launch need not look for lost instances first. */
  restoreHorizonSeconds: number;
  /** How long a wait lasts when nobody signals. */
  lookAgainSeconds: number;
  catalogSeconds: number;
  /** What a claim may cost at most, in prices of the cheapest that fits; 0: any price. */
  maxPriceRatio: number;
  decisions: { keepSeconds: number; maxPerClaim: number };
}

export interface LifecycleServices {
  readonly deployment: string;
  cluster(name: string): ClusterServices | undefined;
  readonly clusters: readonly ClusterServices[];
  /** Whether we may act on a cluster at all. Whoever is about to write there, or to buy or delete for it, asks. */
  readonly ownership: ClusterLeadership;
  readonly state: State;
  readonly workflows: WorkflowClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: LifecycleSettings;
}

/** The key of one of a claim's workflows. */
export const workflowKey = (ref: ClaimRef, kind: 'launch' | 'terminate'): string => keyFor(ref, kind);

export const epochOf = (workflowId: string): number => readId(workflowId)?.epoch ?? 0;

/** Every line of a step carries the ids of the claim and of the workflow. */
export const logFor = (services: LifecycleServices, ref: ClaimRef, workflow?: string): Log =>
  services.log.child({ cluster: ref.cluster, claim: ref.name, uid: ref.uid, ...(workflow ? { workflow } : {}) });
