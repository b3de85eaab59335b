/** `explain node/X`: whose node it is, and how its claim is. */
import { nodeFact, type ShownClaim, type ShownNode } from '../../../shared/explain/cluster-view.ts';
import { type ClusterApi, nodeClaims, nodes } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { nearestName } from '../../reach/nearest-name.ts';
import { UserError } from '../../terminal/user-error.ts';
import { headLines } from './render-claim.ts';

export type NodeOwner =
  | { found: 'claim'; claim: string; node: ShownNode }
  | { found: 'nobody'; node: ShownNode }
  /** There is no such Node, but a claim of this name, whose node is called otherwise or has not come. */
  | { found: 'namesake' };

/** By its owner, or by the claim that names it or its machine. */
export async function ownerOf(cluster: ClusterApi, name: string): Promise<NodeOwner> {
  const got = await cluster.get<ShownNode>(nodes, { name });
  if (!got.ok && got.error.kind !== 'not-found') throw clusterProblem(got.error, cluster, nodes);
  if (!got.ok) {
    if ((await cluster.get(nodeClaims, { name })).ok) return { found: 'namesake' };
    throw new UserError(`The cluster has no Node ${name}`, {
      code: 'UnknownNode',
      hint: await nearestName(cluster, nodes, name),
    });
  }
  const node = got.value;
  const owner = node.metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim');
  if (owner) return { found: 'claim', claim: owner.name, node };
  const claim = await claimNaming(cluster, name, node.spec?.providerID);
  return claim === undefined ? { found: 'nobody', node } : { found: 'claim', claim, node };
}

async function claimNaming(cluster: ClusterApi, name: string, providerID: string | undefined) {
  let found: string | undefined;
  const listed = await listAll<ShownClaim>(
    cluster,
    nodeClaims,
    {},
    {
      onStart: () => {
        found = undefined;
      },
      onItem: ({ metadata, status }) => {
        const isSame = providerID !== undefined && status?.providerID?.toLowerCase() === providerID.toLowerCase();
        if (isSame || status?.nodeName === name) found = metadata.name;
      },
    },
  );
  // A cluster without NodeClaims has nodes nonetheless.
  return listed.ok ? found : undefined;
}

/** Three lines, like those of a claim. */
export function nobodysNode(name: string, node: ShownNode, columns: number | undefined): string[] {
  const { ready, why } = nodeFact(node);
  const pool = node.metadata.labels?.['karpenter.sh/nodepool'];
  const hint =
    pool === undefined
      ? 'it belongs to no NodeClaim, so another tool created it; Poolwright does not touch it'
      : `it belongs to no NodeClaim, but it is labeled for NodePool ${pool}: its claim was deleted, or is in another cluster`;
  const cure = pool === undefined ? 'nothing' : "check whether its instance is an orphan: 'poolwright doctor'";
  const state = `${ready ? 'ready' : `not ready${why ? `: ${why}` : ''}`}, nobody's`;
  return headLines(`node/${name}`, { state, cause: hint, cure }, columns);
}
