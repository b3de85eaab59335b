/** Reading and writing the objects of manifests in the management cluster, always as one field manager and only what is ours. */

import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { nodeCrypto } from '../../../base/node-modules.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { ClusterApi } from '../../../kube/contract.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { isAsoKind, resourceOf } from '../../manifests/resources.ts';
import { requestUidIn } from '../../resolved/marks.ts';
import { type AsoObject, policyOf, reconcilePolicy } from './condition.ts';

/** Says that all of a manifest has been written: what it no longer has is then gone from the object, too. */
const hashAnnotation = 'poolwright.dev/manifest-hash';
/** The name was free or ours, and the operator was told to make it. From then on a policy `skip` is one of ours that passes. */
const managedAnnotation = 'poolwright.dev/managed';

/** Whether the operator was ever told to make it; before that, what is in Azure under this name is not ours. */
export const isManaged = (live: AsoObject): boolean =>
  policyOf(live) !== 'skip' || live.metadata.annotations?.[managedAnnotation] !== undefined;

export const refOf = ({ metadata: { name, namespace } }: Manifest) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

export const isOurs = (live: AsoObject, { metadata }: Manifest): boolean =>
  requestUidIn(live.metadata.labels) === requestUidIn(metadata.labels);

/** Undefined: there is none. */
export async function read(
  api: ClusterApi,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<AsoObject | undefined>> {
  const found = await api.get<AsoObject>(resourceOf(manifest), refOf(manifest), signal);
  return found.ok || found.error.kind !== 'not-found' ? found : ok(undefined);
}

const hashOf = ({ apiVersion, metadata, spec }: Manifest): string =>
  nodeCrypto()
    .createHash('sha256')
    .update(JSON.stringify([apiVersion, metadata, spec]))
    .digest('hex')
    .slice(0, 16);

/** Nothing would change if it were applied. */
export const isApplied = (live: AsoObject, manifest: Manifest): boolean =>
  live.metadata.annotations?.[hashAnnotation] === hashOf(manifest) &&
  holds(live.spec ?? {}, manifest.spec) &&
  holds((live.metadata.annotations ?? {}) as JsonObject, (manifest.metadata.annotations ?? {}) as JsonObject);

/** @param uid Of the object that is changed; without it, one is created if there is none. */
export function write(
  api: ClusterApi,
  manifest: Manifest,
  { uid, managed }: { uid?: string | undefined; managed: boolean },
  signal?: AbortSignal,
): Promise<Result<AsoObject>> {
  const { metadata, ...rest } = manifest;
  const mark = managed && isAsoKind(manifest.kind) ? { [managedAnnotation]: 'true' } : {};
  const annotations = { ...metadata.annotations, ...mark, [hashAnnotation]: hashOf(manifest) };
  const body = { ...rest, metadata: { ...metadata, annotations, ...(uid === undefined ? {} : { uid }) } };
  return api.apply<AsoObject>(resourceOf(manifest), body as unknown as Json, {}, signal);
}

/**
 * The manifest with which it is found out whether something exists: under `skip` the operator only looks. It lacks the tags, so that the
 * real one is another generation, and what was said about the probe is not taken for an answer about that.
 */
export function probeOf(manifest: Manifest): Manifest {
  const { tags: _, ...spec } = manifest.spec;
  return { ...skipped(manifest), spec };
}

const skipped = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { ...manifest.metadata.annotations, [reconcilePolicy]: 'skip' } },
});

/** Whether `live` has everything that `wanted` says. An API server adds fields of its own. */
function holds(live: Json | undefined, wanted: Json): boolean {
  if (isObject(wanted)) {
    return isObject(live) && Object.entries(wanted).every(([key, value]) => holds(live[key], value));
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((value, index) => holds(live[index], value))
    );
  }
  return live === wanted;
}
