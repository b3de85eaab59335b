/** The node classes that a cluster has for a provider. */

import type { Json } from '../../../shared/base/json.ts';
import { didYouMean } from '../../../shared/base/nearest.ts';
import { quoteInput } from '../../../shared/base/problems.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { KubeObject } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { isUndefined, type NodeClass, readNodeClass } from '../../../shared/nodes/offerings/node-class.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import type { NodeClassKind, Provider } from '../../../shared/providers/contract.ts';
import type { FunctionServices } from '../../declaration.ts';

type StoredNodeClass = KubeObject & { spec?: Json };

/** All of them, or the one that is asked for. Where the kind need not be there, what holds without any is among them. */
export async function nodeClassesOf(
  services: FunctionServices,
  cluster: ClusterServices,
  provider: Provider,
  wanted: { kind: string; name: string } | undefined,
  signal: AbortSignal,
): Promise<Result<NodeClass[]>> {
  if (wanted === undefined) return listClasses(cluster, provider, signal);
  const kind = provider.nodeClasses.find((one) => one.kind.toLowerCase() === wanted.kind.toLowerCase());
  if (!kind) {
    const known = provider.nodeClasses.map((one) => one.kind);
    const hint = didYouMean(wanted.kind, known);
    const message = `provider ${provider.name} does not serve ${quoteInput(wanted.kind)}, only ${known.join(', ')}${hint}`;
    return failed('not-found', message);
  }
  const ref = { group: kind.group, kind: kind.kind, name: wanted.name };
  const read = await readNodeClass(services, cluster, { ...kind, namespaced: false }, ref, signal);
  return read.ok ? ok([read.value]) : read;
}

async function listClasses(
  cluster: ClusterServices,
  provider: Provider,
  signal: AbortSignal,
): Promise<Result<NodeClass[]>> {
  const classes: NodeClass[] = [];
  for (const kind of provider.nodeClasses) {
    const listed = await classesOfKind(cluster, kind, signal);
    if (!listed.ok) return listed;
    classes.push(...listed.value);
    if (kind.optional) classes.push({ name: 'default', spec: {}, uid: '' });
  }
  return ok(classes);
}

async function classesOfKind(
  cluster: ClusterServices,
  kind: NodeClassKind,
  signal: AbortSignal,
): Promise<Result<NodeClass[]>> {
  const resource = { ...kind, namespaced: false as const };
  let classes: NodeClass[] = [];
  const listed = await listAll<StoredNodeClass>(
    cluster.api,
    resource,
    {},
    {
      // A list that grew too old begins anew.
      onStart: () => {
        classes = [];
      },
      onItem: ({ metadata, spec }) => {
        classes.push({ name: metadata.name, spec: spec ?? {}, uid: metadata.uid });
      },
    },
    signal,
  );
  if (listed.ok) return ok(classes);
  return (await isUndefined(cluster, resource, listed.error, signal)) ? ok([]) : listed;
}
