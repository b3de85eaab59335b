/**
 * Where the bridge stopped. A bookmark is stored only after everything before it was accepted by the queue, so losing one, or
 * finding an old one, costs events that were sent already and never one that was not.
 */

import type { V1ConfigMap } from '@kubernetes/client-node';
import type { Json } from '../../shared/base/json.ts';
import { type ClusterApi, configMaps } from '../../shared/kube/contract.ts';
import type { Stored } from '../../shared/kube/stored.ts';

export interface Bookmark {
  /** The uid of kube-system: versions of another cluster, or of one that was made anew, mean nothing here. */
  identity: string;
  /** By resource, as `resourceKey` names it. */
  versions: Record<string, string>;
}

export interface BookmarkStore {
  /** Undefined when there is none, or none that can be used. Throws when it could not be looked up. */
  read(): Promise<Bookmark | undefined>;
  write(bookmark: Bookmark): Promise<void>;
}

/** Reads what a store kept. Anything that is no bookmark is none: then everything is listed. */
export function parseBookmark(text: string | undefined): Bookmark | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('identity' in value) || !('versions' in value)) return undefined;
  const { identity, versions } = value;
  if (typeof identity !== 'string' || typeof versions !== 'object' || versions === null) return undefined;
  const usable = Object.entries(versions).filter(([, version]) => typeof version === 'string' && version !== '');
  return { identity, versions: Object.fromEntries(usable) };
}

/** In a ConfigMap of the cluster itself, for a bridge that has no disk. */
export function configMapBookmarks(api: ClusterApi, at: { namespace: string; name: string }): BookmarkStore {
  const field = 'bookmark';
  const labels = { 'app.kubernetes.io/managed-by': 'poolwright' };
  return {
    async read() {
      const answer = await api.get<Stored<V1ConfigMap>>(configMaps, at);
      if (answer.ok) return parseBookmark(answer.value.data?.[field]);
      if (answer.error.kind === 'not-found') return undefined;
      throw new Error(answer.error.message);
    },
    async write(bookmark) {
      const data = { [field]: JSON.stringify(bookmark) };
      const patched = await api.mergePatch(configMaps, at, { data });
      if (patched.ok) return;
      if (patched.error.kind !== 'not-found') throw new Error(patched.error.message);
      const object: Json = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...at, labels }, data };
      const created = await api.create(configMaps, object);
      if (!created.ok) throw new Error(created.error.message);
    },
  };
}
