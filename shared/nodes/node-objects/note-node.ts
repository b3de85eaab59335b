/**
 * What an event says of a Node enters the index only if it is so. An event is a hint, and whoever may send events must be able
 * neither to fill the state with machines that don't exist, nor to push the name of a real Node out of its entry.
 */
import { ok, type Result } from '../../base/result.ts';
import { nodes } from '../../kube/contract.ts';
import { instanceIdOf } from '../../providers/instance-id.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { claimOf, nodeNames, rememberNode } from './node-index.ts';
import type { StoredNode } from './node-stages.ts';

export async function noteNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  { providerID, name }: { providerID: string; name: string },
  signal: AbortSignal,
): Promise<Result<void>> {
  const known = await nodeNames(services, cluster.name, providerID);
  if (known.includes(name)) return ok(undefined);
  const isClaimed = (await claimOf(services, cluster.name, providerID)) !== undefined;
  // The first name of a machine with a claim, the usual case, costs no request: there are no more of them than claims.
  if (!isClaimed || known.length > 0) {
    const isOfOurs = cluster.providers.some((provider) => instanceIdOf(provider, providerID) !== undefined);
    if (!isOfOurs) return ok(undefined);
    const node = await cluster.api.get<StoredNode>(nodes, { name }, signal);
    if (!node.ok) return node.error.kind === 'not-found' ? ok(undefined) : node;
    if (!isSameMachine(cluster, node.value.spec?.providerID, providerID)) return ok(undefined);
  }
  await rememberNode(services, cluster.name, providerID, name, { isClaimed });
  return ok(undefined);
}
