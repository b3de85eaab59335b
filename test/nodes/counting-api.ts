/** A cluster client that keeps a list of what was asked of the API server, for tests that hold its number. */
import { type ClusterApi, type ObjectRef, pods, type Resource } from '../../shared/kube/contract.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';

export interface Request {
  verb: 'get' | 'list' | 'create' | 'patch' | 'delete' | 'evict';
  kind: string;
  name: string;
  /** How it ended: `ok`, or the kind of failure. */
  answer: string;
}

/** From now on every request of this cluster's services is in the list that is returned. */
export function countRequests(cluster: ClusterServices): Request[] {
  const { api } = cluster;
  const requests: Request[] = [];
  const note = async <T extends { ok: true } | { ok: false; error: { kind: string } }>(
    verb: Request['verb'],
    resource: Resource,
    ref: ObjectRef | undefined,
    asked: Promise<T>,
  ): Promise<T> => {
    const answer = await asked;
    const request = { verb, kind: resource.kind, name: ref?.name ?? '' };
    requests.push({ ...request, answer: answer.ok ? 'ok' : answer.error.kind });
    return answer;
  };
  const counting: ClusterApi = Object.assign(Object.create(api) as ClusterApi, {
    get: ((resource, ref, signal) => note('get', resource, ref, api.get(resource, ref, signal))) as ClusterApi['get'],
    list: ((resource, options, signal) =>
      note('list', resource, undefined, api.list(resource, options, signal))) as ClusterApi['list'],
    evict: ((ref, uid, signal) => note('evict', pods, ref, api.evict(ref, uid, signal))) as ClusterApi['evict'],
    create: ((resource, object, signal) =>
      note('create', resource, undefined, api.create(resource, object, signal))) as ClusterApi['create'],
    mergePatch: ((resource, ref, patch, options, signal) =>
      note('patch', resource, ref, api.mergePatch(resource, ref, patch, options, signal))) as ClusterApi['mergePatch'],
    jsonPatch: ((resource, ref, operations, options, signal) =>
      note(
        'patch',
        resource,
        ref,
        api.jsonPatch(resource, ref, operations, options, signal),
      )) as ClusterApi['jsonPatch'],
    delete: ((resource, ref, options, signal) =>
      note('delete', resource, ref, api.delete(resource, ref, options, signal))) as ClusterApi['delete'],
  });
  Object.assign(cluster, { api: counting });
  return requests;
}

/** `patch NodeClaim`, in the order in which they came. */
export const described = (requests: readonly Request[]): string[] =>
  requests.map(({ verb, kind }) => `${verb} ${kind}`);
