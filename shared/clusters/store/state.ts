/**
 * Requests in the state port, for a deployment without a management cluster. An entry is the object as an API server would keep it, and its
 * version is the entry's own. State may be lost: what was made then carries its tags, and is found by them.
 */
import { defined } from '../../base/defined.ts';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock, Ids } from '../../base/runtime.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { parseSpec } from '../../providers/node-class-spec.ts';
import { maxValueBytes, type State } from '../../state/contract.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { clusterRequestSpecSchema } from '../request/schema.ts';
import { stableGuid } from '../resolved/names.ts';
import type { ReadVersion, RequestName, RequestStore, StoredRequest } from './contract.ts';

interface Parts {
  state: State;
  clock: Clock;
  ids: Ids;
}

const prefix = 'cluster-requests/';
const pageSize = 200;
/** Left for the status: a request that fits when it is begun must not outgrow its entry while it is carried out. */
const statusBytes = 24_000;
/** What a name of an object and of a namespace may be, and what fits into a key. */
const legalName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

const keyOf = ({ namespace, name }: RequestName): string => `${prefix}${namespace}/${name}`;
const absent = ({ namespace, name }: RequestName): Result<never> =>
  failed('not-found', `there is no request ${namespace}/${name}`);
const changed = ({ namespace, name }: RequestName): Result<never> =>
  failed('conflict', `request ${namespace}/${name} has changed since it was read`);

export function stateRequestStore({ state, clock, ids }: Parts): RequestStore {
  const read = async (name: RequestName): Promise<Result<StoredRequest>> => {
    const entry = await state.get(keyOf(name));
    return entry === undefined ? absent(name) : ok(asStored(entry.value, entry.version));
  };

  /** Writes what `change` makes of the request that was read, if it is still that one. */
  const write = async (
    name: RequestName,
    { uid, resourceVersion }: ReadVersion,
    change: (before: StoredRequest) => StoredRequest | undefined,
  ): Promise<Result<StoredRequest>> => {
    const before = await read(name);
    if (!before.ok) return before;
    if (before.value.metadata.uid !== uid || before.value.metadata.resourceVersion !== resourceVersion) {
      return changed(name);
    }
    const after = change(before.value);
    if (after === undefined) {
      const gone = await state.delete(keyOf(name), { ifVersion: resourceVersion });
      return gone ? ok(before.value) : changed(name);
    }
    return await put(name, after, resourceVersion);
  };

  const put = async (name: RequestName, object: StoredRequest, ifVersion: string | null) => {
    const value = { ...object, metadata: { ...object.metadata, resourceVersion: '' } } as unknown as Json;
    const { status: _, ...rest } = value as JsonObject;
    for (const [part, most] of [
      [rest, maxValueBytes - statusBytes],
      [value, maxValueBytes],
    ] as const) {
      const bytes = Buffer.byteLength(JSON.stringify(part));
      if (bytes > most) {
        return failed('invalid', `the request is ${bytes} bytes long; at most ${most} can be kept`);
      }
    }
    const version = await state.put(keyOf(name), value, { ifVersion });
    return version === undefined ? changed(name) : ok(asStored(value, version));
  };

  return {
    name: 'state',
    get: read,
    async list({ namespace, limit = pageSize, continue: after } = {}) {
      const { items, next } = await state.list(namespace === undefined ? prefix : `${prefix}${namespace}/`, {
        limit,
        ...defined({ after }),
      });
      return ok({
        items: items.map(({ value, version }) => asStored(value, version)),
        ...defined({ continue: next }),
      });
    },
    async create({ namespace, name, spec, labels, annotations }) {
      if (!legalName.test(name)) return failed('invalid', `${JSON.stringify(name.slice(0, 63))} is not a name`);
      if (!legalName.test(namespace)) {
        return failed('invalid', `${JSON.stringify(namespace.slice(0, 63))} is not a namespace`);
      }
      const checked = checkedSpec(spec);
      if (!checked.ok) return checked;
      const metadata = {
        name,
        namespace,
        uid: stableGuid(ids.next()),
        resourceVersion: '',
        generation: 1,
        creationTimestamp: toWireTime(clock.now()),
        ...defined({ labels: labels && { ...labels }, annotations: annotations && { ...annotations } }),
      };
      const { kind } = clusterRequestKind;
      const object: StoredRequest = { apiVersion: clusterRequestApiVersion, kind, metadata, spec: checked.value };
      const made = await put({ namespace, name }, object, null);
      if (made.ok || made.error.kind !== 'conflict') return made;
      return failed('conflict', `there is a request ${namespace}/${name} already`);
    },
    async replaceSpec(name, spec, follows) {
      const checked = checkedSpec(spec);
      if (!checked.ok) return checked;
      return await write(name, follows, (before) => {
        if (JSON.stringify(before.spec) === JSON.stringify(checked.value)) return before;
        const generation = (before.metadata.generation ?? 0) + 1;
        return { ...before, metadata: { ...before.metadata, generation }, spec: checked.value };
      });
    },
    patchMetadata: (name, { annotations, finalizers }, follows) =>
      write(name, follows, (before) => {
        const kept = { ...before.metadata.annotations };
        for (const [key, value] of Object.entries(annotations ?? {})) {
          if (value === null) delete kept[key];
          else kept[key] = value;
        }
        const metadata = {
          ...before.metadata,
          annotations: kept,
          finalizers: [...(finalizers ?? before.metadata.finalizers ?? [])],
        };
        // The last finalizer was all that kept it.
        const isGone = metadata.deletionTimestamp !== undefined && metadata.finalizers.length === 0;
        return isGone ? undefined : { ...before, metadata };
      }),
    patchStatus: (name, status, follows) =>
      write(name, follows, (before) => {
        const merged = merge((before.status ?? {}) as JsonObject, JSON.parse(JSON.stringify(status)) as JsonObject);
        return { ...before, status: merged as NonNullable<StoredRequest['status']> };
      }),
    async delete(name, { uid, resourceVersion }) {
      const before = await read(name);
      if (!before.ok) return before;
      const follows = { uid, resourceVersion: resourceVersion ?? before.value.metadata.resourceVersion };
      const deleted = await write(name, follows, (request) => {
        const { finalizers = [], deletionTimestamp = toWireTime(clock.now()) } = request.metadata;
        return finalizers.length === 0
          ? undefined
          : { ...request, metadata: { ...request.metadata, deletionTimestamp } };
      });
      return deleted.ok ? ok(undefined) : deleted;
    },
  };
}

function asStored(value: Json, resourceVersion: string): StoredRequest {
  const stored = value as unknown as StoredRequest;
  return { ...stored, metadata: { ...stored.metadata, resourceVersion } };
}

/** What the schema of the kind is for an API server. */
function checkedSpec(spec: Json): Result<ClusterRequestSpec> {
  const known = Object.keys(clusterRequestSpecSchema.shape);
  const parsed = parseSpec<ClusterRequestSpec>(clusterRequestSpecSchema, spec, known);
  if (parsed.ok) return ok(spec as ClusterRequestSpec);
  const { problems } = parsed;
  return failed('invalid', problems.map(({ path, message }) => `${path} ${message}`).join('; '), { problems });
}

/** As a JSON merge patch has it. */
function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? merge(isObject(before) ? before : {}, value) : value;
  }
  return merged;
}
