/** Where a claim's cluster and provider are found; a missing one is a fault of the configuration, said as such. */
import type { Ownership, Provider } from '../../providers/contract.ts';
import { type Again, againAfter } from '../again.ts';
import { decided } from '../decision-log.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../services.ts';
import { sayWaiting } from '../waiting.ts';

/** Long enough that nobody floods the log, short enough that a repaired configuration is noticed. */
const misconfiguredSeconds = 60;

export type Place = {
  cluster: ClusterServices;
  provider: Provider;
  /** The tags of this claim's instances, less the attempt. */
  owner: Omit<Ownership, 'attempt'>;
};

export function findCluster(services: LifecycleServices, ref: ClaimRef): ClusterServices | Again {
  return (
    services.cluster(ref.cluster) ?? {
      do: 'again',
      seconds: misconfiguredSeconds,
      why: `cluster ${ref.cluster} is not in the configuration`,
    }
  );
}

export async function findPlace(
  services: LifecycleServices,
  ref: ClaimRef,
  providerName: string,
): Promise<Place | Again> {
  const cluster = findCluster(services, ref);
  if ('do' in cluster) return cluster;
  const provider = cluster.providers.find((one) => one.name === providerName);
  if (!provider) {
    const why = `provider ${providerName} is not configured for cluster ${ref.cluster}, and this claim has an attempt there`;
    await sayWaiting(services, cluster, ref, 'ProviderNotConfigured', why);
    await decided(services, ref, 'provider', why);
    return { do: 'again', seconds: misconfiguredSeconds, why };
  }
  const identity = await cluster.identity();
  if (!identity.ok) return againAfter(identity.error);
  const { deployment } = services;
  return { cluster, provider, owner: { deployment, cluster: identity.value, claimUid: ref.uid } };
}

export const isAgain = (place: Place | ClusterServices | Again): place is Again => 'do' in place;
