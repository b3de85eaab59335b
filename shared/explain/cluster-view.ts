/** What the cluster itself says about a claim: the object, its node, and the Events about it. */

import type { CoreV1Event, V1Node } from '@kubernetes/client-node';
import { defined } from '../base/defined.ts';
import type { Failure } from '../base/result.ts';
import { type ClusterApi, events, type KubeObject, nodeClaims, nodes } from '../kube/contract.ts';
import type { LooselyStored, Stored } from '../kube/stored.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { shapeClaim } from '../nodes/steps/claim-shape.ts';

export type ShownClaim = NodeClaim & KubeObject;

export type ShownNode = Stored<V1Node>;

type StoredEvent = LooselyStored<CoreV1Event>;

export interface ShownEvent {
  type: string;
  reason: string;
  message: string;
  at: number;
}

export interface ClusterView {
  /** Undefined: there is none. */
  claim: ShownClaim | undefined;
  node?: ShownNode | 'missing';
  events: ShownEvent[];
  /** Whoever asked may not list Events. */
  eventsUnread?: true;
}

export type ClusterViewResult = { ok: true; view: ClusterView } | { ok: false; error: Failure };

export async function askCluster(
  api: ClusterApi,
  name: string,
  uid: string | undefined,
  signal?: AbortSignal,
): Promise<ClusterViewResult> {
  const got = await api.get<ShownClaim>(nodeClaims, { name }, signal);
  if (!got.ok && got.error.kind !== 'not-found') return got;
  // Whoever names a uid means that claim, and not a namesake that came after it.
  const claim = got.ok && (uid === undefined || got.value.metadata.uid === uid) ? shapeClaim(got.value) : undefined;
  const about = claim?.metadata.uid ?? uid;
  const [node, told] = await Promise.all([nodeOf(api, claim), about === undefined ? [] : eventsAbout(api, about)]);
  const unread = told === undefined ? { eventsUnread: true as const } : {};
  return { ok: true, view: { claim, ...defined({ node }), events: told ?? [], ...unread } };
}

async function nodeOf(api: ClusterApi, claim: ShownClaim | undefined): Promise<ShownNode | 'missing' | undefined> {
  const name = claim?.status?.nodeName;
  if (!name) return undefined;
  const got = await api.get<ShownNode>(nodes, { name });
  if (got.ok) return got.value;
  return got.error.kind === 'not-found' ? 'missing' : undefined;
}

const mostEvents = 500;

/** Oldest first. Undefined: whoever may not list Events is told less, and no more than that. */
export async function eventsAbout(api: ClusterApi, uid: string): Promise<ShownEvent[] | undefined> {
  const listed = await api.list<StoredEvent>(events, { fieldSelector: `involvedObject.uid=${uid}`, limit: mostEvents });
  if (!listed.ok) return undefined;
  return listed.value.items.map(shownEvent).sort((a, b) => a.at - b.at);
}

function shownEvent(event: StoredEvent): ShownEvent {
  const time = event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp;
  const at = Date.parse(time);
  return {
    type: event.type ?? 'Normal',
    reason: event.reason ?? '',
    message: event.message ?? '',
    at: Number.isFinite(at) ? at : 0,
  };
}

export function nodeFact(node: ShownNode): { ready: boolean; why?: string } {
  const condition = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (condition?.status === 'True') return { ready: true };
  return { ready: false, ...(condition?.message ? { why: condition.message } : {}) };
}
