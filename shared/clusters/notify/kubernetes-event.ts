/** The Kubernetes Event of a notice, about the request. Its name derives from the notice, so that a second one is the same one. */
import { nodeCrypto } from '../../base/node-modules.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { cutText } from '../../base/text.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { type ClusterApi, events } from '../../kube/contract.ts';
import type { NoticeType } from '../request/choices.ts';
import { clusterRequestApiVersion, clusterRequestKind } from '../request/kind.ts';
import type { RequestNotice } from '../services.ts';

const reasons: Readonly<Record<NoticeType, { reason: string; type: 'Normal' | 'Warning'; message: string }>> = {
  ready: { reason: 'ClusterReady', type: 'Normal', message: 'The cluster is ready.' },
  failed: { reason: 'ClusterFailed', type: 'Warning', message: 'The cluster could not be made.' },
  deleted: { reason: 'ClusterDeleted', type: 'Normal', message: 'The cluster was deleted.' },
  expired: { reason: 'ClusterExpired', type: 'Normal', message: 'The lifetime of the cluster is over.' },
  drifted: { reason: 'ClusterDrifted', type: 'Warning', message: 'The cluster differs from the request.' },
};

/** An API server refuses more. */
const longestNote = 1000;

export async function emitNoticeEvent(
  api: ClusterApi,
  { type, ref, id, at, message, code }: RequestNotice,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const { reason, type: kind, message: usual } = reasons[type];
  const digest = nodeCrypto().createHash('sha256').update(id).digest('hex').slice(0, 16);
  const time = toWireTime(at);
  const text = [code, message].filter((one) => one !== undefined && one !== '').join(': ');
  const created = await api.create(
    events,
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${ref.name.slice(0, 200)}.${digest}`, namespace: ref.namespace },
      involvedObject: {
        apiVersion: clusterRequestApiVersion,
        kind: clusterRequestKind.kind,
        name: ref.name,
        namespace: ref.namespace,
        uid: ref.uid,
      },
      reason,
      type: kind,
      message: cutText(text === '' ? usual : text, longestNote),
      source: { component: 'poolwright' },
      reportingComponent: 'poolwright',
      reportingInstance: 'poolwright',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    },
    signal,
  );
  if (created.ok || created.error.kind === 'conflict') return ok(undefined);
  // Events are a courtesy: a namespace that is being deleted, or a right that is missing, must not hold a request up.
  if (['unauthorised', 'not-found', 'invalid'].includes(created.error.kind)) return ok(undefined);
  return failed('unavailable', `the Event cannot be written: ${created.error.message}`);
}
