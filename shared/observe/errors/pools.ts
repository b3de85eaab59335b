/** Why a NodePool does not have the claims that it should have. */
import { byItself, type ErrorGroup } from './entry.ts';

const about = 'NodePool';

export const pools = {
  NodePoolValidationFailed: {
    cause: 'A field of the NodePool cannot be used.',
    cure: 'Change it as the message says.',
    seen: ['condition', 'event'],
    about,
  },
  ClaimNotMade: {
    cause: 'The API server refuses a claim of this NodePool.',
    cure: 'Change the template as the message says.',
    seen: ['event'],
    about,
  },
  RegistrationFailed: {
    cause: 'Claims of this NodePool were made more than once in a row, and none became a node.',
    cure: 'The message says why the last one failed; it is tried again with growing pauses.',
    seen: ['condition', 'event'],
    about,
  },
  NodeLimitReached: {
    cause: 'The NodePool would make more claims, but `limits.nodes` is reached.',
    cure: 'Raise the limit, or lower the replicas.',
    seen: ['event'],
    about,
  },
  DisruptionBlocked: {
    cause: 'Claims are due to be replaced, but the disruption budgets do not allow it now.',
    cure: byItself,
    seen: ['event'],
    about,
  },
} as const satisfies ErrorGroup;
