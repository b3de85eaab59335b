/** keep-snapshot: one VMSnapshot, from its creation to its end. */
import { inRounds } from './rounds.ts';

export const keepSnapshot = inRounds('keep-snapshot', 'advanceSnapshot');
