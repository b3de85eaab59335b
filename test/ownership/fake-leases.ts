/** An API server that only keeps objects by name and checks versions; each request may be held up or fail, as the test says. */

import type { Json } from '../../shared/base/json.ts';
import { failed, ok, type Result } from '../../shared/base/result.ts';
import type { ClusterApi, KubeObject, ObjectRef, Resource } from '../../shared/kube/contract.ts';

export interface FakeServer {
  readonly objects: Map<string, KubeObject & Json>;
  connect(name: string, between?: () => Promise<void>): ClusterApi;
  /** Requests that changed something. */
  writes: number;
  reads: number;
  /** While true nobody gets an answer. */
  down: boolean;
}

const keyOf = ({ plural }: Resource, { namespace = '', name }: ObjectRef): string => `${plural}/${namespace}/${name}`;

export function fakeServer(): FakeServer {
  let version = 0;
  const objects = new Map<string, KubeObject & Json>();
  const stored = <T extends KubeObject>(key: string, object: Json): Result<T> => {
    const body = object as { metadata: { [key: string]: Json } };
    const metadata = { uid: `uid-${key}`, creationTimestamp: '', ...body.metadata, resourceVersion: `${++version}` };
    objects.set(key, { ...body, metadata } as KubeObject & Json);
    server.writes++;
    return ok(objects.get(key) as T & Json);
  };
  const server: FakeServer = {
    objects,
    writes: 0,
    reads: 0,
    down: false,
    connect: (name, between = async () => {}) => {
      const answer = async <T>(make: () => Result<T>): Promise<Result<T>> => {
        await between();
        const result: Result<T> = server.down ? failed('unavailable', 'no answer') : make();
        await between();
        return result;
      };
      const unused = (): never => {
        throw new Error('not asked for here');
      };
      return {
        name,
        get: <T extends KubeObject>(resource: Resource, ref: ObjectRef) =>
          answer<T>(() => {
            server.reads++;
            const found = objects.get(keyOf(resource, ref));
            return found ? ok(found as T & Json) : failed('not-found', `no ${resource.kind} ${ref.name}`);
          }),
        list: <T extends KubeObject>(resource: Resource) =>
          answer(() => {
            server.reads++;
            const items = [...objects].filter(([key]) => key.startsWith(`${resource.plural}/`));
            return ok({ items: items.map(([, object]) => object as T & Json), resourceVersion: `${version}` });
          }),
        create: <T extends KubeObject>(resource: Resource, object: Json) =>
          answer<T>(() => {
            const { metadata } = object as { metadata: { name: string; namespace?: string } };
            const key = keyOf(resource, metadata);
            return objects.has(key) ? failed('conflict', `${metadata.name} exists`) : stored(key, object);
          }),
        mergePatch: <T extends KubeObject>(resource: Resource, ref: ObjectRef, patch: Json) =>
          answer<T>(() => {
            const key = keyOf(resource, ref);
            const before = objects.get(key);
            if (!before) return failed('not-found', `no ${ref.name}`);
            const change = patch as { metadata?: { resourceVersion?: string }; spec?: { [key: string]: Json } };
            const wanted = change.metadata?.resourceVersion;
            if (wanted !== undefined && wanted !== before.metadata.resourceVersion) {
              return failed('conflict', `${ref.name} was changed`);
            }
            const fields = before as { [key: string]: Json };
            const metadata = { ...(fields.metadata as { [key: string]: Json }), ...change.metadata };
            const spec = { ...(fields.spec as { [key: string]: Json }), ...change.spec };
            return stored(key, { ...fields, metadata, spec });
          }),
        watch: unused,
        jsonPatch: unused,
        apply: unused,
        delete: unused,
        evict: unused,
        close: () => {},
      };
    },
  };
  return server;
}
