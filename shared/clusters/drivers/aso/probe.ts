/**
 * Whether something of a name exists in Azure, found out without a right of our own there: an object under the policy `skip` makes the
 * operator look and nothing else. Without this, the operator would take over whatever it finds, and delete it with our object.
 */
import { asObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { ClusterApi } from '../../../kube/contract.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { isAsoKind } from '../../manifests/resources.ts';
import { describeOwner, requestUidIn, requestUidInTags } from '../../resolved/marks.ts';
import type { ProbeResult } from '../contract.ts';
import { type AsoObject, faultOf, readyCondition } from './condition.ts';
import { isManaged, isOurs, probeOf, read, write } from './objects.ts';

export async function probe(api: ClusterApi, manifest: Manifest, signal?: AbortSignal): Promise<Result<ProbeResult>> {
  const found = await read(api, manifest, signal);
  if (!found.ok) return found;
  let live = found.value;
  if (live === undefined && !isAsoKind(manifest.kind)) return ok({ state: 'free' });
  if (live === undefined) {
    const written = await write(api, probeOf(manifest), { managed: false }, signal);
    if (!written.ok) return written;
    live = written.value;
  }
  return ok(verdict(live, manifest));
}

/** What an object says about the name that it stands for. */
export function verdict(live: AsoObject, manifest: Manifest): ProbeResult {
  const what = `${manifest.kind} ${manifest.metadata.name}`;
  if (!isOurs(live, manifest)) {
    const uid = requestUidIn(live.metadata.labels);
    const whose = uid === undefined ? 'somebody else' : `the cluster request with the uid ${uid}`;
    return { state: 'foreign', whose: `an object ${what} exists already and belongs to ${whose}` };
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    return { state: 'pending', waitingFor: `an older ${what} is being deleted` };
  }
  // It was probed before: only then does it get another policy.
  if (!isAsoKind(manifest.kind) || isManaged(live)) return { state: 'ours' };
  const ready = readyCondition(live);
  if (ready === undefined)
    return { state: 'pending', waitingFor: `Azure Service Operator to look whether ${what} exists` };
  if (ready.status === 'True') return existing(live, manifest);
  if (ready.reason === 'AzureResourceNotFound') return { state: 'free' };
  if (ready.severity === 'Info' || ready.reason === 'WaitingForOwner') {
    return { state: 'pending', waitingFor: `Azure Service Operator to look whether ${what} exists` };
  }
  return { state: 'failed', failure: faultOf(ready) };
}

/** What has no tags is ours by its name or by what it belongs to: the one derives from our uid, the other was probed itself. */
function existing(live: AsoObject, manifest: Manifest): ProbeResult {
  if (manifest.spec.tags === undefined) return { state: 'ours' };
  const tags = asObject(live.status?.tags);
  if (requestUidInTags(tags) === requestUidIn(manifest.metadata.labels)) return { state: 'ours' };
  const owner = describeOwner(tags) ?? 'somebody else';
  const id = typeof live.status?.id === 'string' ? live.status.id : `${manifest.kind} ${manifest.metadata.name}`;
  return { state: 'foreign', whose: `${id} exists already and belongs to ${owner}` };
}
