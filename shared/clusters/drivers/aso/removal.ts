/** Removing what is ours. What was never put under `manage` is somebody else's in Azure, and stays there. */
import { asObject, type Json } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { type ClusterApi, failureCodes } from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import { asoKinds } from '../../manifests/api-versions.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { isAsoKind, resourceOf } from '../../manifests/resources.ts';
import { requestUidIn } from '../../resolved/marks.ts';
import { labelNames, ownTagNames } from '../../resolved/tags.ts';
import type { RemovedResult } from '../contract.ts';
import {
  type AsoObject,
  faultOf,
  isInFlight,
  isKnownInAzure,
  outputsOf,
  policyOf,
  readyCondition,
  reconcilePolicy,
} from './condition.ts';
import { isManaged, isOurs, read, refOf } from './objects.ts';

/** A delete that is refused this long for something that was never made is given up. */
const stuckMs = 10 * 60_000;

export async function remove(
  api: ClusterApi,
  clock: Clock,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const found = await read(api, manifest, signal);
  if (!found.ok) return found;
  const live = found.value;
  if (live === undefined || !isOurs(live, manifest)) return ok(undefined);
  const isGroup = manifest.kind === 'ResourceGroup' && live.metadata.deletionTimestamp === undefined;
  const shared = isGroup ? await holdsOthers(api, live, manifest, signal) : ok(false);
  if (!shared.ok) return shared;
  if (shared.value) return await letGo(api, live, manifest, signal);
  const given = isStuck(live, clock) ? await endsWithGroup(api, live, manifest, signal) : ok(false);
  if (!given.ok) return given;
  const policy = policyForRemoval(live, manifest, given.value);
  let { resourceVersion } = live.metadata;
  if (policy !== undefined && policy !== policyOf(live)) {
    const patch: Json = {
      metadata: { uid: live.metadata.uid, resourceVersion, annotations: { [reconcilePolicy]: policy } },
    };
    const patched = await api.mergePatch<AsoObject>(resourceOf(manifest), refOf(manifest), patch, {}, signal);
    if (!patched.ok) return patched.error.kind === 'not-found' ? ok(undefined) : patched;
    ({ resourceVersion } = patched.value.metadata);
  }
  if (live.metadata.deletionTimestamp !== undefined) return ok(undefined);
  // The policy decides what becomes of the thing in Azure, so it must be the one that was read.
  const preconditions = { uid: live.metadata.uid, resourceVersion };
  const deleted = await api.delete(resourceOf(manifest), refOf(manifest), preconditions, signal);
  return deleted.ok || deleted.error.kind !== 'not-found' ? deleted : ok(undefined);
}

/** Undefined: an object that Azure knows nothing of. */
function policyForRemoval(live: AsoObject, manifest: Manifest, givenUp: boolean): string | undefined {
  if (!isAsoKind(manifest.kind)) return undefined;
  if (!isManaged(live) || givenUp) return 'skip';
  return policyOf(manifest as unknown as AsoObject);
}

/**
 * The object stays, too, without our marks: the objects of others name it as their owner, and would be collected with it. Whoever deletes
 * it later deletes nothing in Azure.
 */
async function letGo(
  api: ClusterApi,
  { metadata: { uid, resourceVersion, labels }, spec }: AsoObject,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const none = (names: readonly string[], there: object | undefined): Record<string, null> =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(there ?? {}, name)).map((name) => [name, null]));
  const tags = none(ownTagNames, asObject(spec?.tags));
  const patch: Json = {
    metadata: {
      uid,
      resourceVersion,
      labels: none(Object.values(labelNames), labels),
      annotations: { [reconcilePolicy]: 'detach-on-delete' },
    },
    ...(Object.keys(tags).length === 0 ? {} : { spec: { tags } }),
  };
  const patched = await api.mergePatch(resourceOf(manifest), refOf(manifest), patch, {}, signal);
  return patched.ok || patched.error.kind === 'not-found' ? ok(undefined) : patched;
}

/** Azure refuses to delete what it refused to make, if only the name is wrong. The operator then tries for ever. */
function isStuck(live: AsoObject, clock: Clock): boolean {
  const since = Date.parse(live.metadata.deletionTimestamp ?? '');
  if (Number.isNaN(since) || clock.now() - since < stuckMs || isKnownInAzure(live) || isInFlight(live)) return false;
  const ready = readyCondition(live);
  return ready?.status === 'False' && ['invalid', 'unauthorised'].includes(faultOf(ready).kind);
}

/**
 * A cluster whose creation has failed may be in Azure, and cost money, without the operator knowing its id. It may only be given up where
 * the deletion of its group takes it, if it exists.
 */
async function endsWithGroup(
  api: ClusterApi,
  live: AsoObject,
  { kind, metadata }: Manifest,
  signal?: AbortSignal,
): Promise<Result<boolean>> {
  if (kind !== 'ManagedCluster') return ok(true);
  const name = asObject(live.spec?.owner)?.name;
  if (typeof name !== 'string') return ok(false);
  const apiVersion = `${asoKinds.ResourceGroup.group}/${asoKinds.ResourceGroup.versions[0].version}`;
  const { annotations: _, ...own } = metadata;
  const group: Manifest = { apiVersion, kind: 'ResourceGroup', metadata: { ...own, name }, spec: {} };
  const found = await read(api, group, signal);
  if (!found.ok) return found;
  const there = found.value;
  if (there === undefined || !isOurs(there, group) || policyOf(there) !== 'manage') return ok(false);
  const shared = await holdsOthers(api, there, group, signal);
  return shared.ok ? ok(!shared.value) : shared;
}

/** A resource group goes with everything in it: something in there may belong to somebody else, also of another namespace. */
async function holdsOthers(
  api: ClusterApi,
  live: AsoObject,
  group: Manifest,
  signal?: AbortSignal,
): Promise<Result<boolean>> {
  const uid = requestUidIn(group.metadata.labels);
  const { namespace } = group.metadata;
  const id = outputsOf(live).id?.toLowerCase();
  let others = 0;
  const onItem = ({ spec, metadata }: AsoObject): void => {
    const { name, armId } = asObject(spec?.owner) ?? {};
    const byName = name === group.metadata.name && metadata.namespace === namespace;
    const isIn = byName || (typeof armId === 'string' && armId.toLowerCase() === id);
    if (isIn && requestUidIn(metadata.labels) !== uid) others++;
  };
  for (const kind of ['ManagedCluster', 'UserAssignedIdentity'] as const) {
    const { group: apiGroup, plural, versions } = asoKinds[kind];
    for (const { version } of versions) {
      const resource = { group: apiGroup, version, plural, kind, namespaced: true };
      const listed = await listAll<AsoObject>(api, resource, {}, { onItem }, signal);
      if (!listed.ok && listed.error.code === failureCodes.notServed) continue;
      if (!listed.ok) return listed;
      break;
    }
  }
  return ok(others > 0);
}

export async function lookRemoved(
  api: ClusterApi,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<RemovedResult>> {
  const found = await read(api, manifest, signal);
  if (!found.ok) return found;
  const live = found.value;
  if (live === undefined || !isOurs(live, manifest)) return ok({ state: 'gone' });
  const waitingFor = `${manifest.kind} ${manifest.metadata.name} to be gone`;
  const ready = isAsoKind(manifest.kind) ? readyCondition(live) : undefined;
  if (ready?.status !== 'False' || ready.severity === 'Info' || ready.reason === 'WaitingForOwner') {
    return ok({ state: 'pending', waitingFor });
  }
  return ok({ state: 'pending', waitingFor, fault: faultOf(ready) });
}
