/** The Node of a pool: it alone says what the providerID is. */

import { defined } from '../../../base/defined.ts';
import { ok, type Result } from '../../../base/result.ts';
import { tags } from '../../../nodes/claims/spec/well-known.ts';
import type { NodeLookup, NodeSummary } from '../../context.ts';
import type { InstanceTags } from '../../contract.ts';
import { instanceIdOf } from '../../instance-id.ts';
import type { PoolKind } from './kind.ts';

export interface FoundNode {
  name: string;
  providerID: string;
  imageID?: string;
}

const imageLabel = 'kubernetes.azure.com/node-image-version';

/** Undefined until exactly one Node with a providerID is there: with none or two, nobody knows which machine is meant. */
export async function nodeOf(
  lookup: NodeLookup,
  kind: PoolKind,
  pool: string,
  owner: InstanceTags,
  signal: AbortSignal,
): Promise<Result<FoundNode | undefined>> {
  const listed = await lookup.list(kind.nodes.ofPool(pool), signal);
  return listed.ok ? ok(pickNode(listed.value, kind, pool, owner)) : listed;
}

export function pickNode(
  nodes: readonly NodeSummary[],
  kind: PoolKind,
  pool: string,
  owner: InstanceTags,
): FoundNode | undefined {
  // A providerID of a shape that is not known is believed; one that names another pool is not.
  const namesPool = ({ providerID }: NodeSummary): boolean => (instanceIdOf(kind, providerID) ?? pool) === pool;
  const [node, ...others] = nodes.filter(
    (one) => kind.nodes.belongsTo(one, pool) && namesPool(one) && isOfAttempt(one, owner),
  );
  if (node === undefined || others.length > 0 || node.providerID === '') return undefined;
  const imageID = node.labels[imageLabel];
  return { name: node.name, providerID: node.providerID, ...defined({ imageID }) };
}

/** A Node may outlive its machine for a while, and the next attempt's pool has the same name. Taken-over Nodes say nothing. */
function isOfAttempt({ labels }: NodeSummary, owner: InstanceTags): boolean {
  const { [tags.claimUid]: uid = owner.claimUid, [tags.attempt]: attempt = String(owner.attempt) } = labels;
  return owner.claimUid === '' || (uid === owner.claimUid && attempt === String(owner.attempt));
}
