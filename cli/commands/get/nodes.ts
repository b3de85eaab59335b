/** `get nodes`: which claim and pool each node is of, and what it costs. Nodes of others are listed too; they have no claim. */

import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodes } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import type { Node } from '../../../shared/nodes/claims/spec/types.ts';
import { labels, taintKeys } from '../../../shared/nodes/claims/spec/well-known.ts';
import { pricePerHour } from '../../terminal/claim-row/price.ts';
import type { Column } from '../../terminal/output/table.ts';
import { ageSince, priceText } from '../../terminal/output/values.ts';
import type { Getting } from './getting.ts';
import { getObjects } from './objects.ts';

interface NodeRow {
  name: string;
  uid: string;
  ready: string;
  claim: string | undefined;
  pool: string | undefined;
  instanceType: string | undefined;
  zone: string | undefined;
  capacityType: string | undefined;
  createdAt: string | undefined;
  price: number | undefined;
  providerID: string | undefined;
  why: string;
}

export function getNodes(getting: Getting): Promise<number> {
  return getObjects<Node & KubeObject, NodeRow>(getting, {
    resource: nodes,
    unknown: 'UnknownNode',
    row: nodeRow,
    gone: (row) => ({ ...row, ready: 'False', why: 'deleted' }),
    complete: addPrices,
    columns,
    name: ({ name }) => `node/${name}`,
    data: ({ why, price, ...row }): Json => ({
      name: row.name,
      uid: row.uid,
      ready: row.ready,
      claim: row.claim ?? null,
      pool: row.pool ?? null,
      instanceType: row.instanceType ?? null,
      zone: row.zone ?? null,
      capacityType: row.capacityType ?? null,
      createdAt: row.createdAt ?? null,
      providerID: row.providerID ?? null,
      pricePerHour: price ?? null,
      why: why === '' ? null : why,
    }),
    empty: 'No nodes.',
  });
}

const columns: Column<NodeRow>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'READY', text: ({ ready }) => ready, style: ({ ready }) => (ready === 'True' ? 'green' : 'yellow') },
  { title: 'CLAIM', spare: 5, text: ({ claim = '' }) => claim },
  { title: 'POOL', spare: 1, text: ({ pool = '' }) => pool },
  { title: 'TYPE', spare: 4, text: ({ instanceType = '' }) => instanceType },
  { title: 'ZONE', spare: 3, text: ({ zone = '' }) => zone },
  { title: 'CAPACITY', spare: 2, text: ({ capacityType = '' }) => capacityType },
  { title: 'AGE', spare: 7, text: ({ createdAt }) => ageSince(createdAt, systemClock.now()) },
  { title: 'PRICE', spare: 6, text: ({ price }) => priceText(price) },
  { title: 'PROVIDERID', text: ({ providerID = '' }) => providerID, wide: true },
  { title: 'UID', text: ({ uid }) => uid, wide: true },
  { title: 'WHY', text: ({ why }) => why },
];

function nodeRow({ metadata, spec, status }: Node): NodeRow {
  const own = metadata.labels ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    name: metadata.name,
    uid: metadata.uid,
    ready: ready?.status ?? 'Unknown',
    claim: metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim')?.name,
    pool: own[labels.nodePool],
    instanceType: own[labels.instanceType],
    zone: own[labels.zone],
    capacityType: own[labels.capacityType],
    createdAt: metadata.creationTimestamp,
    price: pricePerHour(metadata),
    providerID: spec?.providerID,
    why: whyNot(metadata.deletionTimestamp !== undefined, spec, ready),
  };
}

/** The first thing that keeps pods off the node. */
function whyNot(
  isDeleting: boolean,
  spec: Node['spec'],
  ready: { status: string; reason?: string; message?: string } | undefined,
): string {
  const has = (key: string): boolean => spec?.taints?.some((taint) => taint.key === key) ?? false;
  if (isDeleting) return 'it is being deleted';
  if (has(taintKeys.disrupted)) return 'draining: its claim is being deleted';
  if (ready?.status !== 'True')
    return ready === undefined ? 'its kubelet has not reported yet' : `${ready.reason}: ${ready.message}`;
  if (has(taintKeys.unregistered)) return 'it has joined, but its claim does not show it yet';
  return spec?.unschedulable === true ? 'cordoned; kubectl uncordon makes it schedulable again' : '';
}

/** So many claims are asked for one by one; of more, all are listed. */
const few = 20;

/** The price stands on the claim. Whoever may not read claims sees no price, and still the nodes. */
async function addPrices(api: ClusterApi, rows: NodeRow[]): Promise<void> {
  // Two Nodes may say that they are one machine.
  const unpriced = Map.groupBy(
    rows.filter(({ claim, price }) => claim !== undefined && price === undefined),
    ({ claim }) => claim ?? '',
  );
  const add = ({ metadata }: KubeObject): void => {
    for (const row of unpriced.get(metadata.name) ?? []) row.price = pricePerHour(metadata);
  };
  if (unpriced.size > few) {
    await listAll<KubeObject>(api, nodeClaims, {}, { onItem: add });
    return;
  }
  const claims = await Promise.all([...unpriced.keys()].map((name) => api.get<KubeObject>(nodeClaims, { name })));
  for (const claim of claims) if (claim.ok) add(claim.value);
}
