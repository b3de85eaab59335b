/** What is the matter with a request, as a document: the diagnosis, and what it stands on. */
import { defined } from '../../base/defined.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { type ClusterDiagnosis, diagnosisLines, explain } from '../explain/explain.ts';
import type { SeenRequest } from '../explain/seen-request.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import { checkRequest } from '../rules/validate.ts';
import type { StoredRequest } from '../store/contract.ts';
import type { AskedPlace } from './look-ahead.ts';

export interface ExplainedRequest {
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  diagnosis: ClusterDiagnosis;
  /** The first three lines of what people read. */
  lines: readonly string[];
  stages: NonNullable<NonNullable<StoredRequest['status']>['stages']>;
  conditions: NonNullable<NonNullable<StoredRequest['status']>['conditions']>;
  warnings: readonly string[];
}

export function explainRequest(
  { store, poolTypes }: Pick<AskedPlace, 'store' | 'poolTypes'>,
  request: StoredRequest,
  now: number,
  notServed?: string,
): ExplainedRequest {
  const { metadata, spec, status } = request;
  const object = {
    apiVersion: clusterRequestApiVersion,
    kind: clusterRequestKind.kind,
    metadata: { name: metadata.name, namespace: metadata.namespace },
    spec,
  };
  const { findings } = checkRequest(object, { types: poolTypes, today: toWireTime(now).slice(0, 10) });
  const seen = request as unknown as SeenRequest;
  const diagnosis = explain(seen, { now, findings, ...defined({ notServed }) });
  return {
    cluster: store.name,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid ?? '',
    diagnosis,
    lines: diagnosisLines(seen, diagnosis),
    stages: status?.stages ?? [],
    conditions: status?.conditions ?? [],
    warnings: status?.warnings ?? [],
  };
}
