/** All in which AKS and Arc differ above their clients. */

import type { Json } from '../../../base/json.ts';
import type { Checked } from '../../../base/problems.ts';
import type { NameLimits } from '../../../nodes/claims/spec/name-limits.ts';
import type { NodeSummary } from '../../context.ts';
import type { NodeClassKind, ProviderTraits } from '../../contract.ts';
import type { InstanceIdPattern } from '../../instance-id.ts';
import type { PoolAbilities, PoolClass } from './wish.ts';

export interface PoolKind extends PoolShape {
  parseNodeClass(spec: Json): Checked<PoolClass>;
}

/** All of it that needs no schema. */
export interface PoolShape {
  name: 'aks' | 'arc';
  nodeClasses: readonly NodeClassKind[];
  names: NameLimits;
  abilities: ProviderTraits['abilities'];
  pool: PoolAbilities;
  /** What a label calls the region: `eastus`. */
  location: string;
  /** The ARM id of a pool of this cluster; it may not exist. */
  armId(pool: string): string;
  /** The pool that a providerID is of: a Node's own, or the stand-in until that is known. */
  instanceIds: readonly InstanceIdPattern[];
  nodes: PoolNodes;
}

/** How the Nodes of pools are told from others. */
export interface PoolNodes {
  /** Label selectors: of one pool, if the labels can say that much, and of all. */
  ofPool(pool: string): string;
  ofAll: string;
  belongsTo(node: NodeSummary, pool: string): boolean;
}
