/**
 * The record of a request as tags of its group and its cluster, where it is kept in a state that may be lost: what it takes to make the
 * request again. Only what the author changes is in there, so that a new attempt writes nothing. Pure.
 */
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { recordInTags, recordTags } from '../resolved/record-tags.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { RequestRecord } from './record.ts';

export interface RecordInAzure {
  namespace: string;
  name: string;
  spec: ClusterRequestSpec;
  /** Absent where it was too long: then the defaults of the day it is read are taken. */
  resolved?: Resolved;
  versions: RequestRecord['versions'];
  since?: string;
}

/** Undefined where not even the spec fits. */
export function tagsOfRecord({ spec, resolved, versions, since }: RequestRecord): Record<string, string> | undefined {
  const { namespace, name } = resolved;
  const least = { namespace, name, spec, versions, since };
  return recordTags(plain({ ...least, resolved })) ?? recordTags(plain(least));
}

const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

export function recordInAzure(tags: Readonly<Record<string, Json>> | undefined): RecordInAzure | undefined {
  const read = recordInTags(tags);
  const isWhole =
    typeof read?.namespace === 'string' &&
    typeof read.name === 'string' &&
    isObject(read.spec) &&
    isObject(read.versions);
  return isWhole ? (read as unknown as RecordInAzure) : undefined;
}
