/**
 * The record on a request: what has been begun for it. It is written before anything is asked of Azure, on the condition that the request
 * is the one that was read, so that whoever deletes the request knows all that may exist. A lost record costs time: what was made has marks.
 */
import { isObject } from '../../base/json.ts';
import type { AsoKindName } from '../manifests/api-versions.ts';
import { requestAnnotations } from '../request/marks.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import type { Stage } from '../request/stages.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { StoredRequest } from '../store/contract.ts';

export interface RequestRecord {
  /** Of the request: a copy of its annotations on another one says nothing. */
  uid: string;
  deployment: string;
  /** Grows each time the work begins anew: after a change, a failure, or a loss of the record. */
  attempt: number;
  /** Generation of the request that is carried out. */
  generation: number;
  spec: ClusterRequestSpec;
  /** With the defaults of when it was first accepted: those of a later release are for new clusters. */
  resolved: Resolved;
  /** API versions that its objects are written with. */
  versions: Partial<Record<AsoKindName, string>>;
  /** Stages that may have been begun. */
  begun: readonly Stage[];
  /** Failures in a row before this attempt. */
  failures: number;
  /** Objects that earlier attempts may have made and that are no longer asked for, as `Kind/name`. */
  dropped?: readonly string[];
  /** The agent pools exist, and their autoscaler moves their count. */
  poolsExist: boolean;
  /** What its names in Azure derive from, where that is the uid of the request that this one continues. */
  seed?: string;
  /** When the first of the requests was made that this one continues: lifetimes count from there. */
  since?: string;
  /** It is in tags as well: the request is kept where it may be lost. */
  tagged?: boolean;
  /** The value of the annotation that asks for another try, as far as it was seen. */
  retrySeen?: string;
}

/** Undefined: there is none, or none that can be used. */
export function recordOf({ metadata }: StoredRequest): RequestRecord | undefined {
  const text = metadata.annotations?.[requestAnnotations.record];
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) && read.uid === metadata.uid ? read : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(read: unknown): read is RequestRecord {
  if (!isObject(read)) return false;
  const { uid, deployment, attempt, generation, spec, resolved, versions, begun, failures } = read;
  return (
    typeof uid === 'string' &&
    typeof deployment === 'string' &&
    Number.isSafeInteger(attempt) &&
    Number.isSafeInteger(generation) &&
    Number.isSafeInteger(failures) &&
    [spec, resolved, versions].every((one) => isObject(one)) &&
    Array.isArray(begun)
  );
}

export const recordAnnotation = (record: RequestRecord): Record<string, string> => ({
  [requestAnnotations.record]: JSON.stringify(record),
});
