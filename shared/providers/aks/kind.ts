/** AKS among the kinds of agent pools. */
import { parseAksNodeClass } from '../agent-pools/node-classes/aks.ts';
import type { PoolKind } from '../agent-pools/pools/kind.ts';
import { type AksPlace, aksShape } from './shape.ts';

export const aksKind = (place: AksPlace): PoolKind => ({ ...aksShape(place), parseNodeClass: parseAksNodeClass });
