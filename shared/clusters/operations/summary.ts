/** A request in short: what a list shows. Pure. */
import { defined } from '../../base/defined.ts';
import { findCondition } from '../../kube/conditions.ts';
import { requestConditions } from '../request/marks.ts';
import { isDeleting } from '../steps/phase.ts';
import type { StoredRequest } from '../store/contract.ts';

export interface RequestSummary {
  /** Where it is kept: the management cluster, or `state`. */
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  location?: string;
  kubernetesVersion?: string;
  nodes?: string;
  /** As the condition Ready has it; `Unknown` before a host has judged it. */
  ready: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  stage?: string;
  waitingFor?: string;
  /** Of the stage that has failed or is held up. */
  code?: string;
  createdAt: string;
  readyAt?: string;
  expiresAt?: string;
  deleting: boolean;
  guarded: boolean;
  fqdn?: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function summaryOf(cluster: string, request: StoredRequest): RequestSummary {
  const { metadata, status } = request;
  // What an API server has stored before this version had a rule is read as it is.
  const spec = (request.spec ?? {}) as Record<string, unknown>;
  const ready = findCondition(status?.conditions, requestConditions.ready);
  const deleting = isDeleting(request) ? findCondition(status?.conditions, requestConditions.deleting) : undefined;
  const stage = status?.stages?.find(
    ({ state }) => state !== 'Succeeded' && state !== 'Skipped' && state !== 'Pending',
  );
  return {
    cluster,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid ?? '',
    ready: ready?.status === 'True' || ready?.status === 'False' ? ready.status : 'Unknown',
    createdAt: metadata.creationTimestamp,
    deleting: isDeleting(request),
    guarded: spec.deleteGuard === true,
    ...defined({
      location: text(spec.location),
      kubernetesVersion: status?.cluster?.kubernetesVersion ?? text(spec.kubernetesVersion),
      nodes: text(spec.nodes),
      reason: ready?.reason,
      // What it waits for, rather than that it is being deleted.
      message: deleting?.message || ready?.message || undefined,
      stage: deleting === undefined ? stage?.name : undefined,
      waitingFor: deleting === undefined ? stage?.waitingFor : undefined,
      code: deleting === undefined ? stage?.code : undefined,
      readyAt: status?.readyAt,
      expiresAt: status?.expiresAt,
      fqdn: status?.cluster?.fqdn,
    }),
  };
}

export const isBeingBuilt = ({ ready }: RequestSummary): boolean => ready !== 'True';
