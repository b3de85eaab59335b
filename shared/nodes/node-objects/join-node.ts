/** Finding the Node of an instance, and making it the claim's own. */
import type { Failure } from '../../base/result.ts';
import { nodes } from '../../kube/contract.ts';
import { isSameMachine } from '../../providers/same-machine.ts';
import type { AdvanceInput } from '../steps/answers.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { type Again, againAfter } from '../steps/retry-later.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { isRefused } from '../steps/unwritten.ts';
import type { Sight } from './claim-stages.ts';
import { nodeNames, rememberNode } from './node-index.ts';
import { type NodeWait, nodeStages, otherOwner, type StoredNode } from './node-stages.ts';

/** The Node of this claim's instance, registered and labeled as far as it has come, or why there is none that can be. */
export async function seeNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  input: Pick<AdvanceInput, 'providerID' | 'nodeName'>,
  claim: StoredClaim,
  signal: AbortSignal,
  madeToMeasure?: readonly string[],
): Promise<Sight | Again> {
  const found = await findNode(services, cluster, input, claim, signal);
  if ('failure' in found) return againAfter(found.failure);
  if (found.found !== 'node') return found;
  const { name } = found.node.metadata;
  const joined = await patchNode(cluster, claim, found.node, signal, madeToMeasure);
  if (!('failure' in joined)) return { found: 'node', ...joined };
  if (isRefused(joined.failure)) return refusedNode(name, joined.failure);
  if (joined.failure.kind !== 'conflict') return againAfter(joined.failure);
  return { do: 'again', seconds: 0.2, why: `node ${name} changed in the meantime` };
}

type NoNode = Exclude<Sight, { found: 'node' }>;

/** By name, never by listing: the name comes from the provider, from the claim, or from the index that node events fill. */
async function findNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  { providerID, nodeName }: Pick<AdvanceInput, 'providerID' | 'nodeName'>,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<{ found: 'node'; node: StoredNode } | NoNode | { failure: Failure }> {
  const known = await nodeNames(services, cluster.name, providerID);
  const names = new Set(known);
  for (const hint of [claim.status?.nodeName, nodeName]) if (hint) names.add(hint);
  const matching: StoredNode[] = [];
  for (const name of names) {
    const answer = await cluster.api.get<StoredNode>(nodes, { name }, signal);
    if (!answer.ok) {
      if (answer.error.kind === 'not-found') continue;
      return isRefused(answer.error) ? refusedNode(name, answer.error) : { failure: answer.error };
    }
    const { spec, metadata } = answer.value;
    if (isSameMachine(cluster, spec?.providerID, providerID) && !metadata.deletionTimestamp) {
      matching.push(answer.value);
    }
  }
  const [node] = matching;
  if (!node) return { found: 'none', why: `no node with providerID ${providerID} has joined yet` };
  if (matching.length > 1) {
    const list = matching.map(({ metadata }) => metadata.name).join(', ');
    return { found: 'several', why: `several nodes have providerID ${providerID}: ${list}` };
  }
  const owner = otherOwner(claim, node);
  if (owner) {
    return { found: 'foreign', why: `node ${node.metadata.name} belongs to NodeClaim ${owner.name} (${owner.uid})` };
  }
  // Before it is registered: if we get no further, and the claim is deleted, its end still finds the Node and drains it.
  if (!known.includes(node.metadata.name)) {
    await rememberNode(services, cluster.name, providerID, node.metadata.name);
  }
  return { found: 'node', node };
}

/** What the API server refuses as such is waited for like a Node that is missing: with words, and until the deadline. */
const refusedNode = (name: string, { message }: Failure): NoNode => ({
  found: 'refused',
  why: `the API server rejects changes to node ${name}: ${message}`,
});

/** How often a patch that met somebody else's change is made anew at once. */
const maxTries = 3;

/** The node as it is afterwards, and what it still lacks. Nothing is written when nothing is due. */
export async function patchNode(
  cluster: ClusterServices,
  claim: StoredClaim,
  seen: StoredNode,
  signal: AbortSignal,
  madeToMeasure?: readonly string[],
): Promise<{ node: StoredNode; waitingFor: NodeWait | undefined } | { failure: Failure }> {
  let node = seen;
  for (let tries = 1; ; tries++) {
    const { patch, waitingFor } = nodeStages(claim, node, madeToMeasure);
    if (patch === undefined) return { node, waitingFor };
    const { name, uid } = node.metadata;
    const patched = await cluster.api.jsonPatch<StoredNode>(nodes, { name }, patch, {}, signal);
    if (patched.ok) return { node: patched.value, waitingFor };
    if (patched.error.kind !== 'conflict' || tries >= maxTries) {
      // A node that went away while we looked is one that changed.
      return { failure: patched.error.kind === 'not-found' ? { ...patched.error, kind: 'conflict' } : patched.error };
    }
    const fresh = await cluster.api.get<StoredNode>(nodes, { name }, signal);
    const same = fresh.ok && fresh.value.metadata.uid === uid && !fresh.value.metadata.deletionTimestamp;
    if (!same) return { failure: fresh.ok ? patched.error : { ...fresh.error, kind: 'conflict' } };
    node = fresh.value;
  }
}
