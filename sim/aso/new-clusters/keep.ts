/** One round for one new cluster: its nodes, and what node auto-provisioning does there. */
import { asObject } from '../../../shared/base/json.ts';
import { keyOf } from '../azure/resource.ts';
import { never, type Operator } from '../operator.ts';
import { keepConditions, serveKinds } from './auto-provisioning.ts';
import { keepNodes, poolsOf } from './nodes.ts';

/** When to look again. */
export async function keepCluster(
  { azure, clusters, settings, faults, clock }: Pick<Operator, 'azure' | 'clusters' | 'settings' | 'faults' | 'clock'>,
  id: string,
): Promise<number> {
  const resource = azure.get(id);
  const running = clusters.get(id);
  if (resource === undefined || running === undefined) return never;
  const { store } = running.server;
  const now = clock.now();
  const kubeSystem = await store.get({ apiVersion: 'v1', plural: 'namespaces', name: 'kube-system' });
  const since = Date.parse(kubeSystem.metadata.creationTimestamp);
  let next = never;
  const nodesAt = since + settings.nodesSeconds * 1000;
  if (nodesAt > now) next = nodesAt;
  else {
    const separate = azure
      .living()
      .filter((one) => keyOf(one.id).startsWith(`${keyOf(id)}/agentpools/`) && one.state !== 'Creating');
    await keepNodes(store, resource, poolsOf(resource, separate), now);
  }
  const isOn = asObject(resource.body.nodeProvisioningProfile)?.mode === 'Auto';
  if (!isOn || settings.provisioningSeconds === null) return next;
  const kindsAt = since + settings.provisioningSeconds * 1000;
  if (kindsAt > now) return Math.min(next, kindsAt);
  await serveKinds(store);
  const rules = {
    now,
    conditionSeconds: settings.conditionSeconds,
    fault: (subject: { kind: string; name: string; uid: string }) => faults.decide('provisioning', subject),
  };
  return Math.min(next, await keepConditions(store, rules));
}
