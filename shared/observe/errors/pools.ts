/** Why a NodePool does not have the claims that it should have. */
import { byItself, type ErrorGroup } from './entry.ts';

const about = 'NodePool';

export const pools = {
  NodePoolValidationFailed: {
    cause: 'The NodePool has an invalid field.',
    cure: 'Correct the field that the message names.',
    seen: ['condition', 'event'],
    about,
  },
  ClaimNotMade: {
    cause: 'The API server rejects a claim of this NodePool.',
    cure: 'Correct the template as the message says.',
    seen: ['event'],
    about,
  },
  RegistrationFailed: {
    cause: 'Several claims of this NodePool in a row failed to become nodes.',
    cure: 'The message says why the last one failed. The host retries with increasing delays.',
    seen: ['condition', 'event'],
    about,
  },
  NodeLimitReached: {
    cause: 'The NodePool needs more claims, but `limits.nodes` is reached.',
    cure: 'Raise the limit, or lower the replicas.',
    seen: ['event'],
    about,
  },
  DisruptionBlocked: {
    cause: 'Claims are due for replacement, but the disruption budgets do not currently allow it.',
    cure: byItself,
    seen: ['event'],
    about,
  },
} as const satisfies ErrorGroup;
