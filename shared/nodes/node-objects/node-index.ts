/**
 * Which Node belongs to which instance, and which claim to which instance. Kubernetes can't look up a Node by its
 * providerID, and listing all nodes for every claim would cost the square of their number. Node events fill the index;
 * a lost entry costs the time until the resync fills it again.
 */
import { machineKey } from '../../providers/same-machine.ts';
import type { ClaimRef, LifecycleServices } from '../steps/services.ts';

const nodeKey = (services: LifecycleServices, cluster: string, providerID: string): string =>
  `node-of/${cluster}/${machine(services, cluster, providerID)}`;
const claimKey = (services: LifecycleServices, cluster: string, providerID: string): string =>
  `claim-of/${cluster}/${machine(services, cluster, providerID)}`;

/** A pool whose VM was replaced has a Node with another providerID, and is still the same machine to its claim. */
function machine(services: LifecycleServices, clusterName: string, providerID: string): string {
  const cluster = services.cluster(clusterName);
  return cluster ? machineKey(cluster, providerID) : providerID;
}

/** An instance that was never claimed leaves its entries behind; they go by themselves. */
const keepSeconds = 14 * 24 * 3600;
/** Of a machine without a claim, most often somebody else's. */
const keepUnclaimedSeconds = 24 * 3600;

/** Two kubelets may claim one providerID: both names are kept, newest last, so that the mistake can be seen. */
const maxNames = 4;

export async function rememberNode(
  services: LifecycleServices,
  cluster: string,
  providerID: string,
  name: string,
  { isClaimed = true }: { isClaimed?: boolean } = {},
): Promise<void> {
  const known = await nodeNames(services, cluster, providerID);
  if (known.includes(name)) return;
  const names = [...known, name].slice(-maxNames);
  await services.state.put(nodeKey(services, cluster, providerID), names, {
    ttlSeconds: isClaimed ? keepSeconds : keepUnclaimedSeconds,
    soon: true,
  });
}

export async function nodeNames(services: LifecycleServices, cluster: string, providerID: string): Promise<string[]> {
  return (await services.state.get<string[]>(nodeKey(services, cluster, providerID)))?.value ?? [];
}

/**
 * `ready`: no launch waits for this node any more, so what happens to it later is looked at by `keepNode`. `lookedAt`: when the
 * launch read the Node for the last time, so that an event from before then has nothing to tell.
 */
type Rest = { ready?: boolean; lookedAt?: number };
export type IndexedClaim = ClaimRef & Rest;

export async function rememberClaim(
  services: LifecycleServices,
  ref: ClaimRef,
  providerID: string,
  more: Rest = {},
): Promise<void> {
  const { name, uid } = ref;
  await services.state.put(
    claimKey(services, ref.cluster, providerID),
    { name, uid, ...more },
    // A launch that is repeated after a crash writes it again; one that is over does not.
    { ttlSeconds: keepSeconds, soon: !more.ready },
  );
}

export async function claimOf(
  services: LifecycleServices,
  cluster: string,
  providerID: string,
): Promise<IndexedClaim | undefined> {
  return claimAt(services, cluster, claimKey(services, cluster, providerID));
}

/** The same by the id that the provider has for the instance. */
export const claimOfInstance = (
  services: LifecycleServices,
  cluster: string,
  provider: string,
  instance: string,
): Promise<IndexedClaim | undefined> => claimAt(services, cluster, `claim-of/${cluster}/${provider}/${instance}`);

async function claimAt(services: LifecycleServices, cluster: string, key: string): Promise<IndexedClaim | undefined> {
  const entry = await services.state.get<{ name: string; uid: string } & Rest>(key);
  return entry && { cluster, ...entry.value };
}

export async function forgetInstance(services: LifecycleServices, cluster: string, providerID: string): Promise<void> {
  const { state } = services;
  await Promise.all([
    state.delete(nodeKey(services, cluster, providerID)),
    state.delete(claimKey(services, cluster, providerID)),
  ]);
}
