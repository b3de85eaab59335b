/**
 * The end of a migration: the guard and the record go, so there is no way back, and what nothing uses any more of KRO is removed. First it
 * is shown that nothing does.
 */
import { ok, type Result } from '../../../base/result.ts';
import { findCondition } from '../../../kube/conditions.ts';
import { requestAnnotations, requestConditions } from '../../request/marks.ts';
import { type Finding, isError } from '../../rules/finding.ts';
import type { StoredRequest } from '../../store/contract.ts';
import { direct, requestOf, setSpec } from '../adopt/adopt.ts';
import { readChild } from '../adopt/children.ts';
import { readInstance } from '../adopt/instance.ts';
import { finding } from '../findings.ts';
import { isKrosField, kroLabelsOf } from '../kro/state.ts';
import { type MigrationParts, migrationFailure } from '../parts.ts';
import { describeChild, describeInstance, forgetRecord, type MigrationRecord } from '../record.ts';
import { deleteGraph, type Leftovers, leftovers, removeLeftovers, type UnusedGraphs, unusedGraphs } from './graphs.ts';
import { type RoleWithRights, removeRights, rolesWithRights } from './rights.ts';

export interface CommitPlan {
  records: readonly MigrationRecord[];
  graphs: UnusedGraphs;
  /** Of those graphs, and of graphs that are gone. */
  leftovers: Leftovers;
  /** Only once there is no graph left at all. */
  roles: readonly RoleWithRights[];
  findings: readonly Finding[];
}

/** Reads, and writes nothing. */
export async function planCommit(
  parts: MigrationParts,
  records: readonly MigrationRecord[],
  signal: AbortSignal,
): Promise<Result<CommitPlan>> {
  const findings: Finding[] = [];
  for (const record of records) {
    const found = await findingsOf(parts, record, signal);
    if (!found.ok) return found;
    findings.push(...found.value);
  }
  const committing = new Set(records.map(({ instance }) => instance.uid));
  const graphs = await unusedGraphs(parts.api, committing, signal);
  if (!graphs.ok) return graphs;
  const left = await leftovers(parts.api, graphs.value.unused, signal);
  if (!left.ok) return left;
  const noneLeft = graphs.value.used.length === 0;
  const roles = noneLeft ? await rolesWithRights(parts.api, signal) : ok([]);
  if (!roles.ok) return roles;
  return ok({ records, graphs: graphs.value, leftovers: left.value, roles: roles.value, findings });
}

async function findingsOf(
  parts: MigrationParts,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<Finding[]>> {
  const findings: Finding[] = [];
  const what = describeInstance(record);
  const add = (field: string, cause: string, fix: string): void =>
    void findings.push(finding('MigrationNotDone', field, cause, fix));
  const instance = await readInstance(parts, record, signal);
  if (!instance.ok) return instance;
  if (instance.value !== undefined) add(what, 'KRO still has it', 'run the phase adopt first');
  for (const child of record.children) {
    const read = await readChild(parts, child, signal);
    if (!read.ok) return read;
    if (kroLabelsOf(read.value).length > 0 || isKrosField(read.value)) {
      add(describeChild(child), 'it has marks of KRO', 'run the phase adopt again');
    }
  }
  const request = await requestOf(parts, record, signal);
  if (!request.ok) return request;
  const where = `ClusterRequest ${record.request.namespace}/${record.request.name}`;
  if ((request.value.metadata.annotations?.[requestAnnotations.carriedOutBy] ?? direct) !== direct) {
    add(where, 'KRO carries it out', 'run the phase adopt first');
  } else if (!isReady(request.value)) {
    const fix = `wait until it is Ready: kubectl describe clusterrequest -n ${record.request.namespace} ${record.request.name}`;
    add(where, 'the host has not brought it to Ready since it took over', fix);
  }
  return ok(findings);
}

function isReady({ status, metadata }: StoredRequest): boolean {
  const ready = findCondition(status?.conditions, requestConditions.ready);
  return ready?.status === 'True' && status?.observedGeneration === metadata.generation;
}

export async function commit(parts: MigrationParts, plan: CommitPlan, signal: AbortSignal): Promise<Result<void>> {
  const [first] = plan.findings.filter(isError);
  if (first !== undefined) return migrationFailure('MigrationNotDone', `${first.field}: ${first.cause}; ${first.fix}`);
  for (const record of plan.records) {
    const request = await requestOf(parts, record, signal);
    if (!request.ok) return request;
    const { deleteGuard: _, ...unguarded } = request.value.spec;
    const own = record.spec.deleteGuard;
    const lifted = await setSpec(
      parts,
      request.value,
      { ...unguarded, ...(own === undefined ? {} : { deleteGuard: own }) },
      signal,
    );
    if (!lifted.ok) return lifted;
    parts.say('guard-lifted', describeInstance(record));
    const forgotten = await forgetRecord(parts.api, record, signal);
    if (!forgotten.ok) return forgotten;
    parts.say('committed', describeInstance(record));
  }
  for (const graph of plan.graphs.unused) {
    const deleted = await deleteGraph(parts, graph, signal);
    if (!deleted.ok) return deleted;
    parts.say('graph-deleted', graph.name);
  }
  const cleared = await removeLeftovers(parts.api, plan.leftovers, signal);
  if (!cleared.ok) return cleared;
  for (const role of plan.roles) {
    const removed = await removeRights(parts.api, role, signal);
    if (!removed.ok) return removed;
    parts.say('rights-removed', role.name);
  }
  return ok(undefined);
}
