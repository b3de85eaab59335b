/** What `top` knows of the cluster, kept up to date by watches. */

import { errorText } from '../../../shared/base/error-text.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodePools, nodes } from '../../../shared/kube/contract.ts';
import type { Node, NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import type { StoredPool } from '../../../shared/nodes/disruption/types.ts';
import { follow } from '../../reach/follow.ts';
import { type ClaimRow, claimRow } from '../../terminal/claim-row/claim-row.ts';
import { type PoolRow, poolRow } from '../../terminal/pool-row.ts';
import { countNodes, factsOf, type NodeFacts } from './node-facts.ts';
import type { NodeCounts } from './summary.ts';

export interface TopState {
  readonly claims: ReadonlyMap<string, ClaimRow>;
  /** Counts, or why there are none. */
  nodes(): NodeCounts | string;
  /** Undefined: there are none to be seen. */
  pools(): readonly PoolRow[] | undefined;
  isSynced(): boolean;
  trouble(): string | undefined;
}

export interface Observing {
  state: TopState;
  /** Ends with the signal; rejects if claims can't be seen at all. */
  done: Promise<void>;
}

export function observe(
  api: ClusterApi,
  labelSelector: string | undefined,
  onChange: () => void,
  signal: AbortSignal,
): Observing {
  const claims = new Map<string, ClaimRow>();
  const known = new Map<string, NodeFacts>();
  let nodesProblem: string | undefined;
  let trouble: string | undefined;
  const synced = { claims: false, nodes: false, pools: false };
  const pools = new Map<string, PoolRow>();
  let isPoolsSeen = true;
  const change = (): void => {
    trouble = undefined;
    onChange();
  };
  const onTrouble = (text: string): void => {
    trouble = text;
    onChange();
  };
  const followClaims = follow<NodeClaim & KubeObject>(api, {
    resource: nodeClaims,
    labelSelector,
    onChange: (event) => {
      if (event.type === 'deleted') claims.delete(event.name);
      else claims.set(event.object.metadata.name, claimRow(event.object));
      change();
    },
    onSynced: () => {
      synced.claims = true;
      change();
    },
    onTrouble,
    signal,
  });
  const followNodes = follow<Node & KubeObject>(api, {
    resource: nodes,
    labelSelector,
    onChange: (event) => {
      if (event.type === 'deleted') known.delete(event.name);
      else known.set(event.object.metadata.name, factsOf(event.object));
      change();
    },
    onSynced: () => {
      synced.nodes = true;
      change();
    },
    onTrouble,
    signal,
    // Whoever may see claims only still gets all that claims tell.
  }).catch((error: unknown) => {
    nodesProblem = errorText(error);
    synced.nodes = true;
    onChange();
  });
  const followPools = follow<StoredPool>(api, {
    resource: nodePools,
    labelSelector,
    onChange: (event) => {
      if (event.type === 'deleted') pools.delete(event.name);
      else pools.set(event.object.metadata.name, poolRow(event.object));
      change();
    },
    onSynced: () => {
      synced.pools = true;
      change();
    },
    onTrouble,
    signal,
    // A cluster need not have NodePools, nor the caller the right to see them.
  }).catch(() => {
    isPoolsSeen = false;
    synced.pools = true;
    onChange();
  });
  return {
    state: {
      claims,
      pools: () => (isPoolsSeen ? [...pools.values()] : undefined),
      nodes: () => nodesProblem ?? countNodes(known.values()),
      isSynced: () => synced.claims && synced.nodes && synced.pools,
      trouble: () => trouble,
    },
    done: Promise.all([followClaims, followNodes, followPools]).then(() => undefined),
  };
}
