/** `top` without a terminal: the same as text, once, or again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../shared/base/runtime.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodePools, nodes } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import type { Node, NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import type { StoredPool } from '../../../shared/nodes/disruption/types.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { type ClaimRow, claimRow } from '../../terminal/claim-row/claim-row.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { table } from '../../terminal/output/table.ts';
import { type PoolRow, poolRow } from '../../terminal/pool-row.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { countNodes, factsOf, type NodeFacts } from './node-facts.ts';
import { type SortKey, sorted, topColumns } from './rows.ts';
import { type NodeCounts, summaryLines, summaryOf } from './summary.ts';

export interface Plain {
  api: ClusterApi;
  terminal: Terminal;
  clock: Clock;
  sort: SortKey;
  selector: string | undefined;
  /** Again after so long; absent: once. */
  everyMs: number | undefined;
}

export async function plain({ api, terminal, clock, sort, selector, everyMs }: Plain): Promise<number> {
  for (;;) {
    const rows = await claimsIn(api, selector);
    const lines = summaryLines(summaryOf(rows), await nodesIn(api, selector), await poolsIn(api, selector));
    const shown =
      rows.length === 0
        ? ''
        : `\n${table(
            topColumns(() => clock.now()),
            sorted(rows, sort),
          )}`;
    terminal.out(`${lines.join('\n')}\n${shown}${everyMs === undefined ? '' : '\n'}`);
    if (everyMs === undefined) return exitCodes.done;
    const { signal } = terminal;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return exitCodes.interrupted;
  }
}

const selection = (labelSelector: string | undefined) => (labelSelector === undefined ? {} : { labelSelector });

async function claimsIn(api: ClusterApi, selector: string | undefined): Promise<ClaimRow[]> {
  let rows: ClaimRow[] = [];
  const listed = await listAll<NodeClaim & KubeObject>(api, nodeClaims, selection(selector), {
    onStart: () => {
      rows = [];
    },
    onItem: (claim) => void rows.push(claimRow(claim)),
  });
  if (!listed.ok) throw clusterProblem(listed.error, api, nodeClaims);
  return rows;
}

async function nodesIn(api: ClusterApi, selector: string | undefined): Promise<NodeCounts | string> {
  let facts: NodeFacts[] = [];
  const listed = await listAll<Node & KubeObject>(api, nodes, selection(selector), {
    onStart: () => {
      facts = [];
    },
    onItem: (node) => void facts.push(factsOf(node)),
  });
  return listed.ok ? countNodes(facts) : clusterProblem(listed.error, api, nodes).message;
}

/** Undefined: a cluster need not have NodePools, nor the caller the right to see them. */
async function poolsIn(api: ClusterApi, selector: string | undefined): Promise<PoolRow[] | undefined> {
  let pools: PoolRow[] = [];
  const listed = await listAll<StoredPool>(api, nodePools, selection(selector), {
    onStart: () => {
      pools = [];
    },
    onItem: (pool) => void pools.push(poolRow(pool)),
  });
  return listed.ok ? pools : undefined;
}
