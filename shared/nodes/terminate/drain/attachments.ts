/** The volumes that are still attached to a node, as far as its drain waits for them. */
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { ok, type Result } from '../../../base/result.ts';
import { type ClusterApi, persistentVolumeClaims, volumeAttachments } from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import type { Stored } from '../../../kube/stored.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';
import type { Pod } from './pods.ts';
import { attachedVolumes, stayingVolumeClaims, type VolumeAttachment } from './volumes.ts';

type VolumeClaim = Stored<V1PersistentVolumeClaim>;
type Listed = { at: number; answer: Promise<Result<VolumeAttachment[]>> };

/**
 * The API server can't select attachments by node, so a thousand nodes that drain at once share one list. A second old is good
 * enough: what was attached to a node that takes no new pods can only become less.
 */
const sharedMs = 1000;
const lists = new WeakMap<ClusterApi, Listed>();

export async function volumesOn(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: string,
  podsLeft: readonly Pod[],
  signal: AbortSignal,
): Promise<Result<string[]>> {
  const listed = await listShared(services, cluster);
  if (!listed.ok) return listed;
  if (attachedVolumes(listed.value, node, new Set()).length === 0) return ok([]);
  const staying = new Set<string>();
  for (const { namespace, name } of stayingVolumeClaims(podsLeft, services.clock.now())) {
    const claim = await cluster.api.get<VolumeClaim>(persistentVolumeClaims, { namespace, name }, signal);
    if (!claim.ok && claim.error.kind !== 'not-found') return claim;
    if (claim.ok && claim.value.spec?.volumeName) staying.add(claim.value.spec.volumeName);
  }
  return ok(attachedVolumes(listed.value, node, staying));
}

async function listShared({ clock }: LifecycleServices, { api }: ClusterServices): Promise<Result<VolumeAttachment[]>> {
  const known = lists.get(api);
  if (known && clock.now() - known.at < sharedMs) return known.answer;
  const fresh: Listed = { at: clock.now(), answer: listAttachments(api) };
  lists.set(api, fresh);
  const answer = await fresh.answer;
  if (!answer.ok && lists.get(api) === fresh) lists.delete(api);
  return answer;
}

/** Without anybody's signal: the answer is for all who wait. The client bounds each request. */
async function listAttachments(api: ClusterApi): Promise<Result<VolumeAttachment[]>> {
  let found: VolumeAttachment[] = [];
  const listed = await listAll<VolumeAttachment>(
    api,
    volumeAttachments,
    {},
    {
      onStart: () => {
        found = [];
      },
      onItem: ({ metadata, spec }) => void found.push({ metadata, ...(spec ? { spec } : {}) }),
    },
  );
  return listed.ok ? ok(found) : listed;
}
