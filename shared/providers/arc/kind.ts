/** Azure Arc among the kinds of agent pools. */
import { parseArcNodeClass } from '../agent-pools/node-classes/arc.ts';
import type { PoolKind } from '../agent-pools/pools/kind.ts';
import { type ArcPlace, arcShape } from './shape.ts';

export const arcKind = (place: ArcPlace): PoolKind => ({ ...arcShape(place), parseNodeClass: parseArcNodeClass });
