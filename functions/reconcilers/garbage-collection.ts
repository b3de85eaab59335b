/**
 * Garbage collection of one cluster, on a timer. It compares the provider's lists with the claims; the rules for each case
 * stand in `shared/lifecycle/garbage.ts`. More deletes in one run than allowed: it stops and alarms, because then something
 * else is wrong.
 */
import { labels } from '../../shared/claims/well-known.ts';
import { nodeClaims, nodes } from '../../shared/cluster/contract.ts';
import { listAll } from '../../shared/cluster/list-all.ts';
import type { StoredClaim } from '../../shared/lifecycle/claim-access.ts';
import { shapeClaim } from '../../shared/lifecycle/claim-shape.ts';
import {
  checkVanished,
  collectInstance,
  collectNode,
  looksOrphaned,
  orphanedBefore,
} from '../../shared/lifecycle/garbage.ts';
import type { StoredNode } from '../../shared/lifecycle/node-stages.ts';
import type { ClusterServices } from '../../shared/lifecycle/services.ts';
import { giveBackTurn, turnHolders } from '../../shared/lifecycle/turns.ts';
import { seenTwice } from '../../shared/lifecycle/twice.ts';
import type { Instance, Provider } from '../../shared/providers/contract.ts';
import type { FunctionServices, TimerFunction } from '../declaration.ts';

type Owned = { provider: Provider; instance: Instance };

export const garbageCollection: TimerFunction = {
  name: 'garbage-collection',
  trigger: { type: 'timer', every: 'garbage-collection' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (!cluster) return;
    const log = services.log.child({ cluster: clusterName, function: 'garbage-collection' });
    // Holders before claims: a claim that takes its turn in between is then in the list of claims.
    const holders = await turnHolders(services, cluster);
    const claims = new Map<string, StoredClaim>();
    const listed = await listAll<StoredClaim>(
      cluster.api,
      nodeClaims,
      {},
      { onStart: () => claims.clear(), onItem: (claim) => void claims.set(claim.metadata.uid, shapeClaim(claim)) },
      signal,
    );
    if (!listed.ok) return log.write('garbage.undecided', { problem: listed.error.message });
    const owned = await listInstances(services, cluster, signal);
    if (!owned) return log.write('garbage.undecided', { problem: 'a provider could not be listed' });

    await collectOrphans(services, cluster, claims, owned, signal);
    await checkClaims(services, cluster, claims, owned, signal);
    await collectNodes(services, cluster, claims, signal);
    await freeTurns(services, cluster, holders, claims, owned);
  },
};

async function listInstances(
  services: FunctionServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<Owned[] | undefined> {
  const identity = await cluster.identity();
  if (!identity.ok) return undefined;
  const owner = { deployment: services.deployment, cluster: identity.value };
  const owned: Owned[] = [];
  for (const provider of cluster.providers) {
    let page: string | undefined;
    do {
      const answer = await provider.list(owner, page, signal);
      if (!answer.ok) return undefined;
      for (const instance of answer.value.items) owned.push({ provider, instance });
      page = answer.value.next;
    } while (page !== undefined);
  }
  return owned;
}

async function collectOrphans(
  services: FunctionServices,
  cluster: ClusterServices,
  claims: ReadonlyMap<string, StoredClaim>,
  owned: readonly Owned[],
  signal: AbortSignal,
): Promise<void> {
  const due: Owned[] = [];
  for (const one of owned) {
    if (one.instance.state === 'deleting' || !looksOrphaned(claims, one.instance)) continue;
    if (await orphanedBefore(services, cluster, one.instance)) due.push(one);
  }
  const { maxDeletesAtLeast, maxDeletesPercent } = cluster.garbageCollection;
  const allowed = Math.max(maxDeletesAtLeast, Math.floor((owned.length * maxDeletesPercent) / 100));
  const log = services.log.child({ cluster: cluster.name, function: 'garbage-collection' });
  if (due.length > allowed) {
    services.metrics.garbageCollected.inc({ reason: 'stopped' });
    return log.write('garbage.stopped', { wanted: due.length, allowed, instances: owned.length });
  }
  for (const { provider, instance } of due) await collectInstance(services, cluster, provider, instance, signal);
}

/** Only claims whose instance is missing from the list are asked about, one by one. */
async function checkClaims(
  services: FunctionServices,
  cluster: ClusterServices,
  claims: ReadonlyMap<string, StoredClaim>,
  owned: readonly Owned[],
  signal: AbortSignal,
): Promise<void> {
  const present = new Set(owned.map(({ instance }) => instance.providerID));
  for (const claim of claims.values()) {
    const providerID = claim.status?.providerID;
    if (providerID && !present.has(providerID)) await checkVanished(services, cluster, claim, signal);
  }
}

async function collectNodes(
  services: FunctionServices,
  cluster: ClusterServices,
  claims: ReadonlyMap<string, StoredClaim>,
  signal: AbortSignal,
): Promise<void> {
  await listAll<StoredNode>(
    cluster.api,
    nodes,
    { labelSelector: `${labels.registered}=true` },
    {
      onItem: async (node) => {
        const owner = node.metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim');
        if (owner && !claims.has(owner.uid)) await collectNode(services, cluster, node, signal);
      },
    },
    signal,
  );
}

/** A turn whose claim was removed by force comes back once nothing of it is left at the provider. */
async function freeTurns(
  services: FunctionServices,
  cluster: ClusterServices,
  holders: ReadonlySet<string>,
  claims: ReadonlyMap<string, StoredClaim>,
  owned: readonly Owned[],
): Promise<void> {
  const alive = new Set(owned.map(({ instance }) => instance.owner.claimUid));
  for (const uid of holders) {
    if (claims.has(uid) || alive.has(uid)) continue;
    const what = `turn/${cluster.name}/${uid}`;
    if (await seenTwice(services, what, cluster.garbageCollection.graceSeconds)) {
      await giveBackTurn(services, cluster, uid);
    }
  }
}
