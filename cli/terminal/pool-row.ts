/** What is shown of a pool. */
import type { Json } from '../../shared/base/json.ts';
import { unmetText } from '../../shared/explain/first-unmet.ts';
import { type ObjectUnmet, poolUnmet } from '../../shared/explain/objects/unmet.ts';
import { findCondition } from '../../shared/kube/conditions.ts';
import { conditionTypes } from '../../shared/nodes/claims/spec/well-known.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import { conditionsOf } from '../../shared/nodes/pools/object-status.ts';
import type { Column } from './output/table.ts';
import { ageSince } from './output/values.ts';

export interface PoolRow {
  name: string;
  uid: string;
  ready: string;
  nodeClass: string;
  /** Undefined: it is not a static pool. */
  replicas: number | undefined;
  nodes: number;
  createdAt: string | undefined;
  why: ObjectUnmet | undefined;
}

export function poolRow(pool: StoredPool): PoolRow {
  const { metadata, spec, status } = pool;
  const { kind = '', name = '' } = spec?.template?.spec?.nodeClassRef ?? {};
  return {
    name: metadata.name,
    uid: metadata.uid,
    ready:
      metadata.deletionTimestamp !== undefined
        ? 'False'
        : (findCondition(conditionsOf(pool), conditionTypes.ready)?.status ?? 'Unknown'),
    nodeClass: `${kind}/${name}`,
    replicas: spec?.replicas,
    nodes: status?.nodes ?? 0,
    createdAt: metadata.creationTimestamp,
    why: poolUnmet(pool),
  };
}

export const poolColumns = (now: () => number): Column<PoolRow>[] => [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'READY', text: ({ ready }) => ready, style: ({ ready }) => (ready === 'True' ? 'green' : 'yellow') },
  { title: 'NODES', text: ({ nodes, replicas }) => (replicas === undefined ? String(nodes) : `${nodes}/${replicas}`) },
  { title: 'NODECLASS', spare: 1, text: ({ nodeClass }) => nodeClass },
  { title: 'AGE', spare: 2, text: ({ createdAt }) => ageSince(createdAt, now()) },
  { title: 'UID', text: ({ uid }) => uid, wide: true },
  {
    title: 'WHY',
    text: ({ why }) => (why === undefined ? '' : unmetText(why)),
    style: ({ why }) => (why?.severity === 'failed' ? 'red' : undefined),
  },
];

/** For programs: every field is there, and null where nothing is known. */
export const poolData = ({ replicas, createdAt, why, ...row }: PoolRow): Json => ({
  ...row,
  replicas: replicas ?? null,
  createdAt: createdAt ?? null,
  why: why === undefined ? null : { ...why },
});
