/** Removing what is ours. What was never put under `manage` is somebody else's in Azure, and stays there. */
import type { Json } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { ClusterApi } from '../../../kube/contract.ts';
import { asoKinds } from '../../manifests/api-versions.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { isAsoKind, resourceOf } from '../../manifests/resources.ts';
import { requestUidIn } from '../../resolved/marks.ts';
import type { RemovedResult } from '../contract.ts';
import {
  type AsoObject,
  faultOf,
  isInFlight,
  isKnownInAzure,
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
  const policy = await policyForRemoval(api, clock, live, manifest, signal);
  if (!policy.ok) return policy;
  let { resourceVersion } = live.metadata;
  if (policy.value !== undefined && policy.value !== policyOf(live)) {
    const patch: Json = {
      metadata: { uid: live.metadata.uid, resourceVersion, annotations: { [reconcilePolicy]: policy.value } },
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
async function policyForRemoval(
  api: ClusterApi,
  clock: Clock,
  live: AsoObject,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<string | undefined>> {
  if (!isAsoKind(manifest.kind)) return ok(undefined);
  if (!isManaged(live) || isStuck(live, clock)) return ok('skip');
  const wanted = policyOf(manifest as unknown as AsoObject);
  if (wanted !== 'manage' || manifest.kind !== 'ResourceGroup') return ok(wanted);
  const shared = await holdsOthers(api, manifest, signal);
  if (!shared.ok) return shared;
  return ok(shared.value ? 'detach-on-delete' : 'manage');
}

/** Azure refuses to delete what it refused to make, if only the name is wrong. The operator then tries for ever. */
function isStuck(live: AsoObject, clock: Clock): boolean {
  const since = Date.parse(live.metadata.deletionTimestamp ?? '');
  if (Number.isNaN(since) || clock.now() - since < stuckMs || isKnownInAzure(live) || isInFlight(live)) return false;
  const ready = readyCondition(live);
  return ready?.status === 'False' && ['invalid', 'unauthorised'].includes(faultOf(ready).kind);
}

/** A resource group goes with everything in it: something in there may belong to somebody else. */
async function holdsOthers(api: ClusterApi, group: Manifest, signal?: AbortSignal): Promise<Result<boolean>> {
  const uid = requestUidIn(group.metadata.labels);
  for (const kind of ['ManagedCluster', 'UserAssignedIdentity'] as const) {
    const { group: apiGroup, plural, versions } = asoKinds[kind];
    for (const { version } of versions) {
      const resource = { group: apiGroup, version, plural, kind, namespaced: true };
      const { namespace = '' } = group.metadata;
      const page = await api.list<AsoObject>(resource, { namespace, limit: 500 }, signal);
      if (!page.ok && page.error.code === 'not-served') continue;
      if (!page.ok) return page;
      const other = page.value.items.some(
        ({ spec, metadata }) =>
          (spec?.owner as { name?: string } | undefined)?.name === group.metadata.name &&
          requestUidIn(metadata.labels) !== uid,
      );
      if (other) return ok(true);
      break;
    }
  }
  return ok(false);
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
