/** Kubernetes Events about a claim, a pool or a node class: what a person sees at the end of `kubectl describe`. */

import type { CoreV1Event } from '@kubernetes/client-node';
import type { Json } from '../../../base/json.ts';
import { nodeCrypto } from '../../../base/node-modules.ts';
import { cutText } from '../../../base/text.ts';
import { toWireTime } from '../../../kube/conditions.ts';
import { events } from '../../../kube/contract.ts';
import type { Stored } from '../../../kube/stored.ts';
import type { ClusterServices, LifecycleServices } from '../services.ts';
import { tellAgainSeconds } from './pace.ts';

/** Events live in a namespace even when their subject does not. */
const namespace = 'default';
const maxMessageLength = 1000;

const digestOf = (text: string): string => nodeCrypto().createHash('sha256').update(text).digest('hex').slice(0, 16);

type StoredEvent = Stored<CoreV1Event>;

/** What an Event is about. Without a kind it is a claim: what comes out of a list does not carry its kind. */
export interface Subject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}

/**
 * For what is looked at again and again: tells it, and for a while nothing more under that reason, even when the words
 * change: a drain would otherwise leave an Event for every pod. Events are kept for an hour at most, so that what lasts
 * has to be told now and then. True: it was told now.
 */
export async function emitEventThrottled(
  services: LifecycleServices,
  cluster: ClusterServices,
  about: Subject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Promise<boolean> {
  const key = `told/${cluster.name}/${about.metadata.uid}/${reason}`;
  const first = await services.state.put(key, true, { ifVersion: null, ttlSeconds: tellAgainSeconds });
  if (first === undefined) return false;
  await emitEvent(services, cluster, about, type, reason, message);
  return true;
}

/** The same news about the same object is one Event that counts. Failing to tell it never fails the step. */
export async function emitEvent(
  services: LifecycleServices,
  cluster: ClusterServices,
  about: Subject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Promise<void> {
  const { apiVersion = 'karpenter.sh/v1', kind = 'NodeClaim' } = about;
  const { uid, name: objectName } = about.metadata;
  const text = cutText(message, maxMessageLength);
  const digest = digestOf(`${uid}/${reason}/${text}`);
  const name = `${objectName.slice(0, 200)}.${digest}`;
  const at = toWireTime(services.clock.now());
  const event: Json = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { apiVersion, kind, name: objectName, uid },
    type,
    reason,
    message: text,
    source: { component: 'poolwright' },
    reportingComponent: 'poolwright',
    reportingInstance: services.deployment,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
  const created = await cluster.api.create(events, event);
  if (created.ok) return;
  if (created.error.kind === 'conflict') {
    const known = await cluster.api.get<StoredEvent>(events, { name, namespace });
    const count = (known.ok ? (known.value.count ?? 1) : 1) + 1;
    const counted = await cluster.api.mergePatch(events, { name, namespace }, { count, lastTimestamp: at });
    if (counted.ok) return;
  }
  services.log.write('claim.event.untold', {
    cluster: cluster.name,
    [kind === 'NodeClaim' ? 'claim' : 'name']: objectName,
    reason,
    problem: created.error.message,
  });
}
