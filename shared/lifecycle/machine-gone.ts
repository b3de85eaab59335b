/** Whether the provider says, asked for this one machine, that it has it no more. Any other answer is no. */
import type { Provider } from '../providers/contract.ts';
import type { ClusterServices, LifecycleServices } from './services.ts';

export async function isGone(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  providerID: string,
  signal: AbortSignal,
): Promise<boolean> {
  const identity = await cluster.identity();
  if (!identity.ok) return false;
  const owner = { deployment: services.deployment, cluster: identity.value };
  const got = await provider.get(owner, providerID, signal);
  return !got.ok && got.error.kind === 'not-found';
}
