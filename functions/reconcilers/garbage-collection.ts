/**
 * Garbage collection of one cluster, on a timer. It compares the provider's lists with the claims; the rules for each case
 * stand in `shared/nodes/upkeep/garbage.ts`. More deletes in one run than allowed: it stops and alarms, because then something
 * else is wrong.
 */
import { ok, type Result } from '../../shared/base/result.ts';
import { nodeClaims, nodes } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import type { StoredNode } from '../../shared/nodes/node-objects/node-stages.ts';
import { giveBackTurn, turnHolders } from '../../shared/nodes/pauses/turns.ts';
import { type StoredClaim, viewClaim } from '../../shared/nodes/steps/claim-access.ts';
import { shapeClaim } from '../../shared/nodes/steps/claim-shape.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { followMachine } from '../../shared/nodes/upkeep/follow-machine.ts';
import {
  checkVanished,
  collectInstance,
  collectNode,
  followNode,
  looksOrphaned,
  orphanedBefore,
} from '../../shared/nodes/upkeep/garbage.ts';
import type { Instance, Provider } from '../../shared/providers/contract.ts';
import { isSameMachine, machineKey } from '../../shared/providers/same-machine.ts';
import { seenTwice } from '../../shared/state/two-readings.ts';
import type { FunctionServices, TimerFunction } from '../declaration.ts';

type Owned = { provider: Provider; instance: Instance };

export const garbageCollection: TimerFunction = {
  name: 'garbage-collection',
  trigger: { type: 'timer', every: 'garbage-collection' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (!cluster) return;
    const log = services.log.child({ cluster: clusterName, function: 'garbage-collection' });
    // Also where another deployment acts: as long as nobody knows which cluster this is, no other one is collected.
    await cluster.identity();
    const standing = await services.ownership.standing(clusterName);
    if (!standing.acts) return log.write('garbage.undecided', { reason: standing.reason, problem: standing.why });
    // Holders before claims: a claim that takes its turn in between is then in the list of claims.
    const holders = await turnHolders(services, cluster);
    const claims = new Map<string, StoredClaim>();
    const listed = await listAll<StoredClaim>(
      cluster.api,
      nodeClaims,
      {},
      { onStart: () => claims.clear(), onItem: (claim) => void claims.set(claim.metadata.uid, withoutWishes(claim)) },
      signal,
    );
    if (!listed.ok) return log.write('garbage.undecided', { problem: listed.error.message });
    const { owned, unlisted } = await listInstances(services, cluster, signal);
    // A provider that nobody can ask is a warning: without a claim nothing else would say that its identity is wrong.
    for (const [provider, problem] of unlisted) {
      log.write('provider.failed', { provider, problem });
      log.write('garbage.undecided', { provider, problem });
    }

    // Instances are told apart by the uid of their cluster: where that is in doubt, they may belong to another one.
    const collectable = await mayCollect(cluster);
    if (collectable.ok) await collectOrphans(services, cluster, claims, owned, signal);
    else log.write('garbage.undecided', { problem: collectable.error.message });
    if (collectable.ok) await tidyUp(services, cluster, unlisted, signal);
    await followMachines(services, cluster, claims, owned, signal);
    await checkClaims(services, cluster, claims, owned, unlisted, signal);
    await collectNodes(services, cluster, claims, signal);
    // Only a whole list says that nothing of a claim is left anywhere.
    if (unlisted.size === 0) await freeTurns(services, cluster, holders, claims, owned);
  },
};

/** All claims are kept until the run ends: without what says only who wrote a field, and what was asked for. */
function withoutWishes(stored: StoredClaim): StoredClaim {
  const { metadata, spec, ...rest } = shapeClaim(stored);
  const { managedFields: _, ...kept }: typeof metadata & { managedFields?: unknown } = metadata;
  return { ...rest, metadata: kept, spec: { nodeClassRef: spec.nodeClassRef, requirements: [] } };
}

async function mayCollect(cluster: ClusterServices): Promise<Result<void>> {
  const identity = await cluster.identity();
  if (!identity.ok) return identity;
  return (await cluster.collectable?.(identity.value)) ?? ok(undefined);
}

/** One provider that can't be listed holds up no other: what it owns is simply not looked at. */
async function listInstances(
  services: FunctionServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<{ owned: Owned[]; unlisted: Map<string, string> }> {
  const identity = await cluster.identity();
  const unlisted = new Map<string, string>();
  const owned: Owned[] = [];
  for (const provider of cluster.providers) {
    const listed = identity.ok ? await listOne(services, provider, identity.value, signal) : identity;
    if (listed.ok) for (const instance of listed.value) owned.push({ provider, instance });
    else unlisted.set(provider.name, listed.error.message);
  }
  return { owned, unlisted };
}

async function listOne(
  { deployment }: FunctionServices,
  provider: Provider,
  cluster: string,
  signal: AbortSignal,
): Promise<Result<Instance[]>> {
  const instances: Instance[] = [];
  let page: string | undefined;
  do {
    const answer = await provider.list({ deployment, cluster }, page, signal);
    if (!answer.ok) return answer;
    // A cloud may match more than was asked for.
    instances.push(
      ...answer.value.items.filter(({ owner }) => owner.deployment === deployment && owner.cluster === cluster),
    );
    page = answer.value.next;
  } while (page !== undefined);
  return ok(instances);
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
    if (one.instance.state === 'deleting' || !looksOrphaned(cluster, claims, one.instance)) continue;
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

/** What is no machine and yet ours, as only the provider knows it. */
async function tidyUp(
  services: FunctionServices,
  cluster: ClusterServices,
  unlisted: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const identity = await cluster.identity();
  if (!identity.ok) return;
  for (const provider of cluster.providers) {
    if (unlisted.has(provider.name)) continue;
    const tidied = await provider.tidy?.({ deployment: services.deployment, cluster: identity.value }, signal);
    if (tidied === undefined || tidied.ok) continue;
    const log = services.log.child({ cluster: cluster.name, function: 'garbage-collection' });
    log.write('garbage.undecided', { provider: provider.name, problem: tidied.error.message });
  }
}

/** What a list shows of machines whose claims live on. */
async function followMachines(
  services: FunctionServices,
  cluster: ClusterServices,
  claims: ReadonlyMap<string, StoredClaim>,
  owned: readonly Owned[],
  signal: AbortSignal,
): Promise<void> {
  for (const { provider, instance } of owned) {
    const claim = claims.get(instance.owner.claimUid);
    if (claim) await followMachine(services, cluster, provider, claim, instance, signal);
  }
}

/** Only claims whose instance is missing from the list are asked about, one by one. */
async function checkClaims(
  services: FunctionServices,
  cluster: ClusterServices,
  claims: ReadonlyMap<string, StoredClaim>,
  owned: readonly Owned[],
  unlisted: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const present = new Set(owned.map(({ instance }) => machineKey(cluster, instance.providerID)));
  for (const claim of claims.values()) {
    const providerID = claim.status?.providerID;
    if (!providerID || present.has(machineKey(cluster, providerID))) continue;
    if (!unlisted.has(viewClaim(claim).record?.provider ?? '')) await checkVanished(services, cluster, claim, signal);
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
        if (!owner) return;
        const claim = claims.get(owner.uid);
        const isNamed = claim && isSameMachine(cluster, claim.status?.providerID, node.spec?.providerID);
        if (isNamed) await followNode(services, cluster, node, claim, signal);
        else await collectNode(services, cluster, node, signal);
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
