/**
 * The resync: events may all be lost; this is the truth. It lists claims, starts what is missing and restarts what is
 * broken, and finds nodes whose event was lost.
 */

import { type KubeObject, nodeClaims, nodes } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import { mayHaveInstance, phaseOf } from '../../shared/nodes/claims/attempt/attempt.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { ensureWorkflow, wakeLaunch } from '../../shared/nodes/ensure.ts';
import { claimOf, nodeNames, rememberNode } from '../../shared/nodes/node-objects/node-index.ts';
import type { StoredNode } from '../../shared/nodes/node-objects/node-stages.ts';
import { ClaimsCost } from '../../shared/nodes/offerings/claims-cost.ts';
import { keepTurn, turnHolders, turnsCounted } from '../../shared/nodes/pauses/turns.ts';
import { type StoredClaim, viewClaim } from '../../shared/nodes/steps/claim-access.ts';
import { shapeClaim } from '../../shared/nodes/steps/claim-shape.ts';
import { isOurs } from '../../shared/nodes/steps/is-ours.ts';
import { sayReadOnly } from '../../shared/nodes/steps/read-only.ts';
import { refOf } from '../../shared/nodes/steps/ref.ts';
import type { ClaimRef, ClusterServices } from '../../shared/nodes/steps/services.ts';
import { sayUnreadable } from '../../shared/nodes/steps/unreadable.ts';
import { ClusterMetrics } from '../../shared/nodes/upkeep/cluster-metrics.ts';
import { keepFinalizer } from '../../shared/nodes/upkeep/keep-finalizer.ts';
import { keepNode } from '../../shared/nodes/upkeep/keep-node.ts';
import { saySetAside } from '../../shared/nodes/upkeep/set-aside.ts';
import type { Metrics } from '../../shared/observe/metrics.ts';
import { rememberRival } from '../../shared/ownership/look-for-rivals.ts';
import { rivalOn } from '../../shared/ownership/rivals.ts';
import { machineKey } from '../../shared/providers/same-machine.ts';
import type { FunctionServices, TimerFunction } from '../declaration.ts';

export const resync: TimerFunction = {
  name: 'resync',
  trigger: { type: 'timer', every: 'resync' },
  async run(services, clusterName, signal) {
    const cluster = services.cluster(clusterName);
    if (!cluster) return;
    const log = services.log.child({ cluster: clusterName, function: 'resync' });
    /** A run may take long: it ends as the owner only if it was that for every claim. */
    let acted = true;
    let rival: { who: string; claim: string } | undefined;
    const phases = new Map<string, number>();
    const cost = new ClaimsCost();
    const resources = new ClusterMetrics(services.metrics, clusterName);
    /** Claims that are Ready, by the machine that serves them. */
    const atRest = new Map<string, ClaimRef>();
    const started = { launch: 0, terminate: 0 };
    const holders = await turnHolders(services, cluster);
    const listed = await listAll<StoredClaim>(
      cluster.api,
      nodeClaims,
      {},
      {
        onStart: () => {
          phases.clear();
          cost.clear();
          resources.clear();
          atRest.clear();
        },
        onItem: async (stored) => {
          const claim = shapeClaim(stored);
          if (!isOurs(services, clusterName, claim)) return;
          const view = viewClaim(claim);
          const phase = view.deleting ? 'deleting' : phaseOf(view);
          phases.set(phase, (phases.get(phase) ?? 0) + 1);
          cost.add(claim);
          resources.add(claim);
          if (phase === 'ready' && view.providerID)
            atRest.set(machineKey(cluster, view.providerID), refOf(clusterName, claim));
          const who = rivalOn(claim, services.clock.now());
          if (who !== undefined) rival = { who, claim: claim.metadata.name };
          const standing = await services.ownership.standing(clusterName);
          acted &&= standing.acts;
          if (!standing.acts) return await sayReadOnly(services, cluster, claim, standing, signal);
          if (mayHaveInstance(view) && !holders.has(view.uid)) await keepTurn(services, cluster, view.uid);
          if (view.record && mayHaveInstance(view) && !view.finalizer && !view.deleting) {
            await keepFinalizer(services, cluster, claim, signal);
          }
          if (view.unreadable) await sayUnreadable(services, cluster, claim, signal);
          const cause = { observedBy: 'resync', at: services.clock.now() };
          const kind = await ensureWorkflow(services, clusterName, claim, cause);
          if (kind) started[kind]++;
          else await saySetAside(services, cluster, claim, signal);
        },
      },
      signal,
    );
    noteSync(services, clusterName, listed.ok);
    if (!listed.ok) return log.write('resync.failed', { problem: listed.error.message });
    if (rival) await rememberRival(services.state, clusterName, rival);
    const { acts } = await services.ownership.standing(clusterName);
    if (acted && acts) await turnsCounted(services, cluster);
    for (const phase of ['none', 'open', 'closed', 'launched', 'ready', 'failed', 'deleting']) {
      services.metrics.claims.set({ cluster: clusterName, phase }, phases.get(phase) ?? 0);
    }
    resources.write();
    services.metrics.claimsPrice.set({ cluster: clusterName }, cost.perHour);
    services.metrics.claimsPriceUnknown.set({ cluster: clusterName }, cost.unknown);
    if (started.launch + started.terminate > 0) log.write('resync.restarted', started);
    if (acts) await findLostNodes(services, cluster, atRest, signal);
    log.write('resync.done', Object.fromEntries(phases));
  },
};

/** When the resyncs of a cluster began to fail, by the metrics of the process that runs them. */
const failingSince = new WeakMap<Metrics, Map<string, number>>();

function noteSync({ metrics, clock }: FunctionServices, cluster: string, isSynced: boolean): void {
  const since = failingSince.get(metrics) ?? new Map<string, number>();
  failingSince.set(metrics, since);
  if (isSynced) since.delete(cluster);
  else since.set(cluster, since.get(cluster) ?? clock.now());
  metrics.stateSynced.set({ cluster }, isSynced ? 1 : 0);
  metrics.stateUnsyncedTime.set({ cluster }, (clock.now() - (since.get(cluster) ?? clock.now())) / 1000);
}

/** Nodes that are not registered yet and that nobody told us about, and those that are no longer, for a claim at rest. */
async function findLostNodes(
  services: FunctionServices,
  cluster: ClusterServices,
  atRest: ReadonlyMap<string, ClaimRef>,
  signal: AbortSignal,
): Promise<void> {
  const known = await listAll<StoredNode & KubeObject>(
    cluster.api,
    nodes,
    { labelSelector: `!${labels.registered}` },
    {
      onItem: async (node) => {
        const providerID = node.spec?.providerID;
        if (!providerID || !(await services.ownership.standing(cluster.name)).acts) return;
        const resting = atRest.get(machineKey(cluster, providerID));
        // A failure is the next resync's to repair.
        if (resting) return void (await keepNode(services, cluster, resting, node, signal));
        const names = await nodeNames(services, cluster.name, providerID);
        if (names.includes(node.metadata.name)) return;
        const ref = await claimOf(services, cluster.name, providerID);
        await rememberNode(services, cluster.name, providerID, node.metadata.name, { isClaimed: ref !== undefined });
        if (ref) await wakeLaunch(services, ref);
      },
    },
    signal,
  );
  if (!known.ok) {
    const log = services.log.child({ cluster: cluster.name, function: 'resync' });
    log.write('resync.failed', { problem: known.error.message });
  }
}
