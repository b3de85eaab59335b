/** Azure Arc among the kinds of agent pools. */
import { parseArcNodeClass } from '../azure/node-classes/arc.ts';
import type { PoolKind } from '../azure/pools/kind.ts';
import { type ArcPlace, arcShape } from './shape.ts';

export const arcKind = (place: ArcPlace): PoolKind => ({ ...arcShape(place), parseNodeClass: parseArcNodeClass });
