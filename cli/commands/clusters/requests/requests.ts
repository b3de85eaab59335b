/**
 * Requests for clusters, as commands reach them: through a host, which also knows those without a management cluster, or in a management
 * cluster itself, where the object is the record.
 */
import type { JsonObject } from '../../../../shared/base/json.ts';
import type { DifferingField } from '../../../../shared/clusters/operations/diff.ts';
import type { ExplainedRequest } from '../../../../shared/clusters/operations/explain.ts';
import type { GuardWord } from '../../../../shared/clusters/operations/guard.ts';
import type { HostPlan } from '../../../../shared/clusters/operations/plan.ts';
import type { RequestSummary } from '../../../../shared/clusters/operations/summary.ts';
import type { Finding } from '../../../../shared/clusters/rules/finding.ts';
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import type { ClusterChoice } from '../../../reach/cluster-access.ts';
import type { HostAddress } from '../../../reach/host-api.ts';

export interface RequestId {
  /** Where it is kept. */
  cluster: string;
  namespace: string;
  name: string;
}

export interface ReadRequest {
  cluster: string;
  request: StoredRequest;
}

export interface CreatedRequest extends ReadRequest {
  findings: readonly Finding[];
  /** False: the same one exists already. */
  created: boolean;
}

export interface RequestDifferences {
  differences: readonly DifferingField[];
  /** What could not be compared, with the reason. */
  notCompared: readonly { object: string; why: string }[];
}

/** What is refused is thrown as a `UserError` with its code. */
export interface Requests {
  list(namespace?: string): Promise<RequestSummary[]>;
  read(id: RequestId): Promise<ReadRequest>;
  /** As it is now, and then at each change; undefined once it is gone, which is the end. */
  changes(id: RequestId, signal: AbortSignal): AsyncIterable<ReadRequest | undefined>;
  create(object: JsonObject, cluster?: string): Promise<CreatedRequest>;
  cancel(id: RequestId): Promise<{ changed: boolean }>;
  retry(id: RequestId): Promise<{ changed: boolean }>;
  remove(id: RequestId, guard: GuardWord | undefined): Promise<{ gone: boolean; keepsCluster: boolean }>;
  explain(id: RequestId): Promise<ExplainedRequest>;
  diff(id: RequestId): Promise<RequestDifferences>;
  /** Undefined where no host is asked. */
  plan?(object: JsonObject, how: { check: boolean; cluster?: string | undefined }): Promise<HostPlan>;
  close(): void;
}

export interface RequestsChoice extends HostAddress, ClusterChoice {
  dataDir: string;
  /** The management cluster by its name on the host. */
  cluster?: string;
  namespace?: string;
  poolTypes?: string;
}
