/**
 * All that is wrong with a request, at once. Pure: what Azure knows (locations, versions) is passed in where it is known; quota, capacity
 * and names that are taken can only be found out by asking, and are not asked for here.
 *
 * @example
 * const checked = checkRequest(object, { types: builtInPoolTypes, today: '2026-08-31' });
 * if (checked.findings.some(isError)) refuse(checked.findings);
 */
import { asObject, type Json } from '../../base/json.ts';
import { quoteInput } from '../../base/problems.ts';
import { parseSpec } from '../../providers/node-class-spec.ts';
import type { PoolTypes } from '../pool-types/pool-type.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import type { ClusterRequest } from '../request/request.ts';
import { type ClusterRequestSpec, clusterRequestSpecSchema } from '../request/schema.ts';
import { mostRecordTags } from '../resolved/record-tags.ts';
import { type Resolved, resolve } from '../resolved/resolve.ts';
import { ownTagNames } from '../resolved/tags.ts';
import { checkAccess, checkAddOns, checkIdentity, checkPlace, checkTags } from './azure-parts.ts';
import type { Finding, Report } from './finding.ts';
import { checkGitOps } from './git-ops.ts';
import { checkNames } from './names.ts';
import { checkNetwork } from './network.ts';
import { checkNodePool } from './node-pool.ts';
import { knownVersions, type OfferedVersions } from './offered-versions.ts';
import { readablePart } from './readable-part.ts';
import { checkSystemPool } from './system-pool.ts';
import { checkVersion } from './version.ts';
import { checkWithoutManagement } from './without-management.ts';

export interface Surroundings {
  types: PoolTypes;
  /** The date, such as 2026-08-31. */
  today: string;
  /** What AKS offers in the location, where it was asked. */
  versions?: OfferedVersions;
  /** Locations with AKS, where they are known. */
  locations?: readonly string[];
}

export interface CheckedRequest {
  /** Absent if a field is malformed. */
  request?: ClusterRequest;
  resolved?: Resolved;
  findings: readonly Finding[];
}

const known = Object.keys(clusterRequestSpecSchema.shape);
const topFields = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

export function checkRequest(object: unknown, surroundings: Surroundings): CheckedRequest {
  const findings: Finding[] = [];
  const report: Report = (severity, code, field, cause, fix) =>
    void findings.push({ severity, field, code, cause, fix });
  const { request, whole } = shapeOf(object, report);
  if (request === undefined) return { findings };
  const resolved = resolve(request, surroundings.types);
  checkNames(request, resolved, report);
  checkPlace(request, resolved, surroundings.locations, report);
  checkVersion(resolved, surroundings.versions ?? knownVersions, surroundings.today, report);
  checkNodePool(request, resolved, surroundings.types, report);
  checkSystemPool(resolved, report);
  checkNetwork(request, resolved, report);
  checkIdentity(resolved, report);
  checkAccess(resolved, report);
  checkAddOns(resolved, report);
  checkGitOps(request, resolved, report);
  checkTags(resolved, ownTagNames.length + mostRecordTags, report);
  if (request.spec.driver === 'arm') checkWithoutManagement(resolved, report);
  return whole ? { request, resolved, findings } : { findings };
}

/** What an API server would say as well, in one go and with a fix. */
function shapeOf(object: unknown, report: Report): { request?: ClusterRequest; whole: boolean } {
  const fields = asObject(object) ?? {};
  const wrong = (field: string, cause: string, fix: string): void =>
    report('error', 'ClusterRequestInvalid', field, cause, fix);
  if (fields.apiVersion !== clusterRequestApiVersion) {
    wrong('apiVersion', `it is ${quoteInput(fields.apiVersion)}`, `write ${clusterRequestApiVersion}`);
  }
  if (fields.kind !== clusterRequestKind.kind) {
    wrong('kind', `it is ${quoteInput(fields.kind)}`, `write ${clusterRequestKind.kind}`);
  }
  for (const key of Object.keys(fields)) {
    if (!topFields.includes(key)) wrong(key, 'there is no such field', `remove it; known are ${topFields.join(', ')}`);
  }
  const metadata = asObject(fields.metadata);
  if (typeof metadata?.name !== 'string') wrong('metadata.name', 'it is missing', 'give the request a name');
  if (fields.spec === undefined) {
    wrong('spec', 'it is missing', 'write a spec with a location at least');
    return { whole: false };
  }
  const parsed = parseSpec<ClusterRequestSpec>(clusterRequestSpecSchema, fields.spec as Json, known);
  if (!parsed.ok) for (const { path, message } of parsed.problems) wrong(path, message, 'correct the field');
  const spec = parsed.ok ? parsed.value : readablePart(fields.spec);
  if (typeof metadata?.name !== 'string' || spec === undefined) return { whole: false };
  const namespace = typeof metadata.namespace === 'string' ? metadata.namespace : 'default';
  const uid = typeof metadata.uid === 'string' ? { uid: metadata.uid } : {};
  const request = {
    apiVersion: clusterRequestApiVersion,
    kind: clusterRequestKind.kind,
    metadata: { name: metadata.name, namespace, ...uid },
    spec,
  };
  return { request, whole: parsed.ok };
}
