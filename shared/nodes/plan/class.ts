/** The node class that a plan is made with. */
import { failed, ok, type Result } from '../../base/result.ts';
import type { Serving } from '../../providers/serving.ts';
import type { NodeClassRef } from '../claims/spec/types.ts';
import { type NodeClass, readNodeClass } from '../offerings/node-class.ts';
import { resolveNodeClass } from '../pools/node-class-resolution.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';

/** One that comes with the question goes before that of the cluster; whether it would be ready, the provider tells. */
export async function classFor(
  services: LifecycleServices,
  cluster: ClusterServices,
  { provider, resource }: Serving,
  ref: NodeClassRef,
  given: readonly unknown[],
  signal: AbortSignal,
): Promise<Result<NodeClass>> {
  const brought = given.map(readNodeClassObject).find((one) => one?.kind === resource.kind && one.name === ref.name);
  if (!brought || brought.group !== resource.group) return readNodeClass(services, cluster, resource, ref, signal);
  const nodeClass: NodeClass = { name: brought.name, spec: brought.spec, uid: '' };
  const resolved = await resolveNodeClass(services, provider, nodeClass, signal);
  if (!resolved?.ok || resolved.value.ready) return ok(nodeClass);
  const { reason, message } = resolved.value;
  const why = [reason, message].filter(Boolean).join(': ') || 'no reason given';
  return failed('not-ready', `${ref.kind} ${ref.name} would not be ready: ${why}`);
}

function readNodeClassObject(object: unknown) {
  if (typeof object !== 'object' || object === null) return undefined;
  const { apiVersion, kind, metadata, spec } = object as { [field: string]: unknown };
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : undefined;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined;
  return { group: apiVersion.split('/')[0] ?? '', kind, name, spec: (spec ?? {}) as NodeClass['spec'] };
}
