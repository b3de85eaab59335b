/**
 * The watching source: follows claims and nodes of one cluster and puts an event on the queue for each change that matters.
 * Our own status writes come back as changes too; they are told apart here, where it costs nothing.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { makeEvent } from '../../events/make.ts';
import { type ClusterApi, nodeClaims, nodes } from '../../shared/cluster/contract.ts';
import { type Change, reflect } from '../../shared/cluster/reflector.ts';
import type { StoredClaim } from '../../shared/lifecycle/claim-access.ts';
import { isReady, type StoredNode } from '../../shared/lifecycle/node-stages.ts';
import type { Log } from '../../shared/log.ts';
import type { Queue } from '../../shared/queue/contract.ts';
import type { Clock, Ids, Random } from '../../shared/runtime.ts';

export interface ClusterWatchOptions {
  cluster: string;
  api: ClusterApi;
  queue: Queue;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
  signal: AbortSignal;
}

/** How many digests of objects are remembered; a forgotten one costs an event too many. */
const maxRemembered = 50_000;
/** What is as short as a digest, as it is for every claim, is kept as it is. */
const longestKept = 32;

/** Runs until the signal fires. */
export async function watchCluster(options: ClusterWatchOptions): Promise<void> {
  const { cluster, api, queue, clock, ids, random, log, signal } = options;
  const seen = new LRUCache<string, string>({ max: maxRemembered });
  const attributes = (name: string) => ({
    id: ids.next(),
    time: clock.now(),
    source: `/bridge/${cluster}`,
    subject: `${cluster}/${name}`,
  });
  /** What is the same as last time is no news; it counts as told only once it is on the queue. */
  const sendNews = async (uid: string, what: unknown, make: () => object): Promise<void> => {
    const text = JSON.stringify(what);
    const digest = text.length <= longestKept ? text : createHash('sha1').update(text).digest('base64');
    if (seen.get(uid) === digest) return;
    await send(make);
    seen.set(uid, digest);
  };
  const send = async (make: () => object): Promise<void> => {
    let event: object;
    try {
      event = make();
    } catch (error) {
      // No reader would take it, now or later. The resync reads the object itself.
      if (!(error instanceof RangeError)) throw error;
      return log.write('event.ignored', { cluster, problem: error.message });
    }
    await queue.send([JSON.stringify(event)]);
  };

  const onClaim = async (change: Change<StoredClaim>): Promise<void> => {
    if (change.type === 'deleted') {
      const { name, uid } = change;
      const data = { cluster, name, uid, observedBy: 'bridge' as const };
      seen.delete(uid);
      return send(() => makeEvent('dev.poolwright.claim.deleted.v1', data, attributes(name)));
    }
    const { name, uid, resourceVersion, generation, deletionTimestamp, finalizers } = change.object.metadata;
    const deleting = deletionTimestamp !== undefined;
    const data = {
      cluster,
      name,
      uid,
      resourceVersion,
      ...(generation === undefined ? {} : { generation }),
      deleting,
      observedBy: 'bridge' as const,
    };
    return sendNews(uid, [generation, deleting, deleting ? finalizers : 0], () =>
      makeEvent('dev.poolwright.claim.changed.v1', data, attributes(name)),
    );
  };

  const onNode = async (change: Change<StoredNode>): Promise<void> => {
    if (change.type === 'deleted') return;
    const { metadata, spec, status } = change.object;
    const { name, uid } = metadata;
    const providerID = spec?.providerID;
    if (!providerID) return;
    const ready = isReady(change.object);
    const deleting = metadata.deletionTimestamp !== undefined;
    const resources = Object.keys(status?.allocatable ?? {}).filter((key) => status?.allocatable?.[key] !== '0');
    // The taints that we put on and take off ourselves are no news.
    const taints = (spec?.taints ?? []).map(({ key }) => key).filter((key) => !key.startsWith('karpenter.sh/'));
    const data = { cluster, name, uid, providerID, ready, deleting };
    return sendNews(uid, [providerID, ready, deleting, taints, resources], () =>
      makeEvent('dev.poolwright.node.changed.v1', data, attributes(name)),
    );
  };

  await Promise.all([
    reflect<StoredClaim>({ api, resource: nodeClaims, onEvent: onClaim, concurrency: 64, clock, random, log, signal }),
    reflect<StoredNode>({ api, resource: nodes, onEvent: onNode, concurrency: 64, clock, random, log, signal }),
  ]);
}
