/** How the node class of a pool is, read for each look at the pool. */

import type { Json } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import type { KubeObject } from '../../kube/contract.ts';
import type { Provider } from '../../providers/contract.ts';
import type { NodeClassResource } from '../../providers/serving.ts';
import type { NodeClassRef } from '../claims/spec/types.ts';
import { isUndefined, whyNotReady } from '../offerings/node-class.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { resolveNodeClass } from './node-class-resolution.ts';
import type { ClassState } from './pool-status.ts';

type StoredNodeClass = KubeObject & { spec?: Json; status?: { conditions?: Condition[] } };

export async function readClassState(
  services: LifecycleServices,
  cluster: ClusterServices,
  { provider, resource }: { provider: Provider; resource: NodeClassResource },
  ref: NodeClassRef,
  signal: AbortSignal,
): Promise<ClassState> {
  const read = await cluster.api.get<StoredNodeClass>(resource, { name: ref.name }, signal);
  if (!read.ok) {
    const { kind, message } = read.error;
    const absent = kind === 'not-found' || (await isUndefined(cluster, resource, read.error, signal));
    if (absent && resource.optional) return { state: 'ready', generation: undefined, hash: undefined };
    if (kind !== 'not-found')
      return { state: 'unknown', message: `${ref.kind} ${ref.name} cannot be read: ${message}` };
    const missing = `${ref.kind} ${ref.name} does not exist; existing nodes stay, and no new ones are created`;
    return { state: 'not-ready', reason: 'NodeClassNotFound', message: missing, generation: undefined };
  }
  const { generation } = read.value.metadata;
  const notReady = (why: string): ClassState => ({
    state: 'not-ready',
    reason: 'NodeClassNotReady',
    message: `${ref.kind} ${ref.name} is not ready: ${why}`,
    generation,
  });
  const unready = resource.optional ? undefined : whyNotReady(read.value);
  if (unready !== undefined) return notReady(unready.text);
  const nodeClass = { name: ref.name, spec: read.value.spec ?? {} };
  const resolved = await resolveNodeClass(services, provider, nodeClass, signal);
  // Nobody could tell: then nothing has drifted.
  if (!resolved?.ok) return { state: 'ready', generation, hash: undefined };
  const { ready, reason, message, hash, images } = resolved.value;
  // A class that is new says so itself a moment later.
  return ready ? { state: 'ready', generation, hash, images } : notReady([reason, message].filter(Boolean).join(': '));
}
