/**
 * Reads a claim's node class. It changes rarely and every claim asks for it, so an answer serves for a few seconds, and
 * claims that ask at the same moment share one question.
 */

import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { customResourceDefinitions, type KubeObject } from '../../kube/contract.ts';
import type { NodeClassResource } from '../../providers/serving.ts';
import type { NodeClassRef } from '../claims/spec/types.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';

export type NodeClass = { name: string; spec: Json; uid: string };

type StoredNodeClass = KubeObject & {
  spec?: Json;
  status?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] };
};

const freshMs = 5_000;

interface Known {
  at: number;
  answer: Promise<Result<NodeClass>>;
  /** Once it is there: then nobody has to wait. */
  settled?: Result<NodeClass>;
}

const caches = new WeakMap<LifecycleServices, RecentMap<string, Known>>();

/**
 * `not-found` when there is none; `not-ready`, with the reason that stands in its own Ready condition, when that is False,
 * and when it is being deleted. A class that nobody has judged yet can be used: the provider checks it again before it buys.
 * An optional class that is not there has an empty spec, and what another provisioner says of it binds only that one.
 */
export async function readNodeClass(
  services: LifecycleServices,
  cluster: ClusterServices,
  resource: NodeClassResource,
  ref: NodeClassRef,
  signal: AbortSignal,
): Promise<Result<NodeClass>> {
  let cache = caches.get(services);
  if (!cache) {
    cache = new RecentMap({ max: 500 });
    caches.set(services, cache);
  }
  const key = `${cluster.name}/${resource.plural}.${resource.group}/${ref.name}`;
  const now = services.clock.now();
  const known = cache.get(key);
  const serves = known && now - known.at < freshMs;
  if (serves && known.settled) return known.settled;
  const asked = serves ? known : askFor(cache, key, now, () => ask(cluster, resource, ref));
  const answer = await untilAborted(asked.answer, signal);
  return answer ?? failed('unavailable', `the caller stopped waiting for ${ref.kind} ${ref.name}`);
}

/** By itself: whoever asked first may be a person who goes away, and launches wait for the same answer. */
function askFor(
  cache: RecentMap<string, Known>,
  key: string,
  at: number,
  question: () => Promise<Result<NodeClass>>,
): Known {
  const answered = async (): Promise<Result<NodeClass>> => {
    const answer = await question();
    if (answer.ok) asked.settled = answer;
    // What stands in the way is looked at anew by whoever asks next.
    else if (cache.get(key) === asked) cache.delete(key);
    return answer;
  };
  const asked: Known = { at, answer: answered() };
  cache.set(key, asked);
  return asked;
}

async function ask(
  cluster: ClusterServices,
  resource: NodeClassResource,
  ref: NodeClassRef,
): Promise<Result<NodeClass>> {
  const answer = await cluster.api.get<StoredNodeClass>(resource, { name: ref.name });
  if (!answer.ok) {
    const absent = answer.error.kind === 'not-found' || (await isUndefined(cluster, resource, answer.error));
    if (!absent) return answer;
    if (resource.optional) return ok({ name: ref.name, spec: {}, uid: '' });
    return failed('not-found', `${ref.kind} ${ref.name} does not exist in cluster ${cluster.name}`);
  }
  const unready = resource.optional ? undefined : whyNotReady(answer.value);
  if (unready !== undefined) {
    const { text, reason } = unready;
    return failed('not-ready', `${ref.kind} ${ref.name} is not ready: ${text}`, defined({ reason }));
  }
  return ok({ name: ref.name, spec: answer.value.spec ?? {}, uid: answer.value.metadata.uid });
}

/**
 * Whether the cluster has no definition of an optional kind. Asking for an object of such a kind says no more than a broken
 * proxy would, so the definition itself is asked for: only the API server answers that there is none.
 */
export async function isUndefined(
  { api }: ClusterServices,
  resource: NodeClassResource,
  failure: Failure,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!resource.optional || failure.kind !== 'unavailable') return false;
  const definition = await api.get(customResourceDefinitions, { name: `${resource.plural}.${resource.group}` }, signal);
  return !definition.ok && definition.error.kind === 'not-found';
}

/** From the class's own Ready condition, in words and by its reason; undefined when it can be used. */
export function whyNotReady({ metadata, status }: StoredNodeClass): { text: string; reason?: string } | undefined {
  if (metadata.deletionTimestamp !== undefined) return { text: 'it is being deleted' };
  // The CRD of a node class may be anybody's, and so may be what stands in its status.
  const { conditions } = status ?? {};
  const unready = (Array.isArray(conditions) ? conditions : []).find(
    (condition) => condition?.type === 'Ready' && condition.status === 'False',
  );
  if (!unready) return undefined;
  const { reason, message } = unready;
  return { text: [reason, message].filter(Boolean).join(': ') || 'no reason given', ...defined({ reason }) };
}
