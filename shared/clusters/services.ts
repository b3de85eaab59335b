/** What the activities of cluster requests are given to work with. A host builds it once; a test builds it from stand-ins and a manual clock. */
import type { Json } from '../base/json.ts';
import type { Result } from '../base/result.ts';
import type { Clock, Ids, Random } from '../base/runtime.ts';
import type { ClusterApi } from '../kube/contract.ts';
import type { Log } from '../observe/log/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ClusterLeadership } from '../ownership/standing.ts';
import type { State } from '../state/contract.ts';
import type { WorkflowClient } from '../workflow/contract.ts';
import type { ClusterDriver, NewClusterAccess } from './drivers/contract.ts';
import type { Served } from './manifests/api-versions.ts';
import type { PoolTypes } from './pool-types/pool-type.ts';
import type { AzurePrices } from './price/prices.ts';
import type { ClusterRegister } from './registered/contract.ts';
import type { NoticeType } from './request/choices.ts';
import type { Resolved } from './resolved/resolve.ts';
import type { Finding } from './rules/finding.ts';
import type { OfferedVersions } from './rules/offered-versions.ts';
import type { RequestStore, StoredRequest } from './store/contract.ts';

/** The one way to name a request: a name alone may be reused, a uid alone can't be read. `cluster` is the name of its store. */
export type RequestRef = { cluster: string; namespace: string; name: string; uid: string };

/** What live, read-only checks have found. */
export interface Preflighted {
  findings: readonly Finding[];
  /** What could not be asked, and why: which is no pass, and stops nothing. */
  skipped: readonly string[];
}

export interface Preflight {
  /** Whether Azure can be asked at all. */
  readonly asksAzure: boolean;
  /** Facts for the rules, where they are known. Admission asks for them too, so it answers soon. */
  facts?(
    resolved: Resolved,
    signal?: AbortSignal,
  ): Promise<{ versions?: OfferedVersions; locations?: readonly string[] }>;
  check(
    asked: { request: StoredRequest; resolved: Resolved; served: Served },
    signal?: AbortSignal,
  ): Promise<Result<Preflighted>>;
}

/** Who may ask for what. Its findings stop a request like those of the rules. */
export interface RequestPolicy {
  check(
    asked: { request: StoredRequest; resolved: Resolved },
    signal?: AbortSignal,
  ): Promise<Result<readonly Finding[]>>;
}

/** Something that people want to be told about a request. */
export interface RequestNotice {
  type: NoticeType;
  ref: RequestRef;
  /** Unique for what has happened: the same notice may be sent again after a crash, and a receiver can tell. */
  id: string;
  at: number;
  /** The request as it was then. */
  request: StoredRequest;
  code?: string;
  message?: string;
}

export interface Notifier {
  /** A failure that may pass is tried again by the workflow for a while; it never holds the request up. */
  notify(notice: RequestNotice, signal?: AbortSignal): Promise<Result<void>>;
}

/** Opens the API of a new cluster. It is closed by whoever opened it. */
export type OpenNewCluster = (
  name: string,
  access: NewClusterAccess,
  signal?: AbortSignal,
) => Promise<Result<{ api: ClusterApi; server: string; certificateAuthority?: string }>>;

/** Where requests are, and what carries them out: one for each management cluster. */
export interface RequestPlace {
  readonly name: string;
  readonly store: RequestStore;
  readonly driver: ClusterDriver;
  /** The management cluster; absent where requests are kept in the state. */
  readonly api?: ClusterApi;
  readonly poolTypes: PoolTypes;
  readonly settings: RequestSettings;
  readonly preflight?: Preflight;
  readonly policy?: RequestPolicy;
  readonly notifier?: Notifier;
  /** Why nothing new may be made or changed now; undefined: it may. Removals go on. */
  paused?(): Promise<string | undefined>;
  /** What Azure's price list says of a location; absent where a host can't read it. */
  prices?(location: string, signal?: AbortSignal): Promise<Result<AzurePrices>>;
}

export interface RequestSettings {
  /** Between two comparisons of a ready cluster with its request. */
  driftSeconds: number;
  /** The longest pause between two looks at something that is being made. */
  pollSeconds: number;
  /** A request that has failed is tried again after this long, then after twice as long, at most an hour. */
  retrySeconds: number;
  /** Between the two readings that a deletion of something without a request needs. */
  graceSeconds: number;
}

export interface ClusterRequestServices {
  readonly deployment: string;
  place(name: string): RequestPlace | undefined;
  readonly places: readonly RequestPlace[];
  readonly openNewCluster: OpenNewCluster;
  readonly register: ClusterRegister;
  /** Definitions that a cluster needs before Poolwright can make nodes for it. */
  definitions?(): Promise<readonly Json[]>;
  /** Whether we may act in a management cluster at all. */
  readonly ownership: ClusterLeadership;
  readonly state: State;
  readonly workflows: WorkflowClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}
