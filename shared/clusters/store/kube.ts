/** Requests as ClusterRequest objects in a management cluster. */
import { defined } from '../../base/defined.ts';
import { ok } from '../../base/result.ts';
import type { ClusterApi, JsonPatchOperation } from '../../kube/contract.ts';
import { clusterRequestApiVersion, clusterRequestKind, clusterRequests } from '../request/kind.ts';
import type { RequestStore, StoredRequest } from './contract.ts';

const pageSize = 200;

export function kubeRequestStore(api: ClusterApi): RequestStore {
  return {
    name: api.name,
    get: (name, signal) => api.get<StoredRequest>(clusterRequests, refOf(name), signal),
    async list({ namespace, limit = pageSize, continue: from } = {}, signal) {
      const options = { limit, ...defined({ namespace, continue: from }) };
      const page = await api.list<StoredRequest>(clusterRequests, options, signal);
      return page.ok ? ok({ items: page.value.items, ...defined({ continue: page.value.continue }) }) : page;
    },
    create: ({ namespace, name, spec, labels, annotations }, signal) =>
      api.create<StoredRequest>(
        clusterRequests,
        {
          apiVersion: clusterRequestApiVersion,
          kind: clusterRequestKind.kind,
          metadata: { name, namespace, ...defined({ labels, annotations }) },
          spec,
        },
        signal,
      ),
    // A merge patch would keep every field that the new spec lacks.
    replaceSpec: (name, spec, { uid, resourceVersion }, signal) => {
      const operations: JsonPatchOperation[] = [
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'replace', path: '/spec', value: spec },
      ];
      return api.jsonPatch<StoredRequest>(clusterRequests, refOf(name), operations, {}, signal);
    },
    patchMetadata: (name, { annotations, finalizers }, { uid, resourceVersion }, signal) => {
      const fields = defined({
        annotations: annotations && { ...annotations },
        finalizers: finalizers && [...finalizers],
      });
      const patch = { metadata: { uid, resourceVersion, ...fields } };
      return api.mergePatch<StoredRequest>(clusterRequests, refOf(name), patch, {}, signal);
    },
    patchStatus: (name, status, { resourceVersion }, signal) =>
      // Of the status of a custom resource the server compares no uid. The version alone says which object it was.
      api.mergePatch<StoredRequest>(
        clusterRequests,
        refOf(name),
        { metadata: { resourceVersion }, status: JSON.parse(JSON.stringify(status)) },
        { subresource: 'status' },
        signal,
      ),
    delete: (name, follows, signal) => api.delete(clusterRequests, refOf(name), { ...follows }, signal),
  };
}

const refOf = ({ namespace, name }: { namespace: string; name: string }) => ({ namespace, name });
