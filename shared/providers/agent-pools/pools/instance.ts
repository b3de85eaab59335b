/** From a pool and its Node to an instance. */
import { defined } from '../../../base/defined.ts';
import type { Instance } from '../../contract.ts';
import type { Pool } from '../agent-pools.ts';
import { type CreateHandle, toHandle } from './handle.ts';
import type { PoolKind } from './kind.ts';
import { creationTime, kaitoLabels, reportedLabels } from './labels.ts';
import type { FoundNode } from './nodes.ts';
import type { PoolOwner } from './ownership.ts';
import { zoneOf } from './zones.ts';

/** The one table of what a state means. States that are not in it are not final. */
export const isDeleting = ({ provisioningState }: Pool): boolean => /^deleting$/i.test(provisioningState);
export const isFailed = ({ provisioningState }: Pool): boolean => /^(failed|canceled)$/i.test(provisioningState);
const isBeingMade = ({ provisioningState }: Pool): boolean =>
  /^(creating|pending|accepted|provisioning)$/i.test(provisioningState);

/** Azure took the one machine back, as it does with spot, and left the empty pool. */
export const isEmpty = (pool: Pool): boolean => pool.count === 0 && canRun(pool);

/** A machine at work stays one while its pool is updated or upgraded. */
export const canRun = (pool: Pool): boolean => !isDeleting(pool) && !isFailed(pool) && !isBeingMade(pool);

export function toInstance(kind: PoolKind, pool: Pool, whose: PoolOwner, node: FoundNode | undefined): Instance {
  const handle = handleFor(kind, pool, whose);
  if (isDeleting(pool)) return instanceOf(kind, handle, node, 'deleting');
  if (node !== undefined && canRun(pool)) return instanceOf(kind, handle, node, 'running');
  return { ...instanceOf(kind, handle, node, 'creating'), handle: toHandle(handle) };
}

export function instanceOf(
  kind: PoolKind,
  { pool, owner, claimName, offering, labels, createdAt, imageID }: CreateHandle,
  node: FoundNode | undefined,
  state: Instance['state'],
): Instance {
  const image = node?.imageID ?? imageID;
  return {
    id: pool,
    providerID: node?.providerID ?? standInFor(kind, pool),
    owner,
    claimName,
    name: pool,
    offering,
    state,
    createdAt: createdAt ?? 0,
    labels,
    ...defined({ imageID: image }),
    ...(node === undefined ? {} : { nodeName: node.name }),
  };
}

/** Where nobody knows the operation: asking goes on by looking at the pool. */
export function handleFor(kind: PoolKind, pool: Pool, { owner, claimName }: PoolOwner): CreateHandle {
  const createdAt = creationTime(pool.labels[kaitoLabels.creationTimestamp]);
  return {
    v: 1,
    of: kind.name,
    do: 'create',
    pool: pool.name,
    owner,
    claimName,
    offering: {
      instanceType: pool.vmSize,
      zone: zoneOf(pool.zones, kind.location),
      capacityType: pool.spot ? 'spot' : 'on-demand',
    },
    labels: reportedLabels(pool.labels),
    ...defined({ createdAt, imageID: pool.nodeImageVersion }),
  };
}

/** Until the Node says better. It is never a Node's own, and `poolOf` reads it like one. */
const standInFor = (kind: PoolKind, pool: string): string => `azure://${kind.armId(pool)}`;
