/** What is wrong with what was configured. */
import type { ErrorGroup } from './entry.ts';

export const configuration = {
  InvalidConfiguration: {
    cause:
      'The configuration has an invalid field, or the cloud rejects a setting of the claim, its node class or its provider.',
    cure: 'Correct the setting that the message names.',
    more: 'At startup, the host reports all mistakes at once, each with file and line, field, value, allowed values and the closest valid name. `poolwright config check` prints the same without starting the host. On a claim, the message quotes the cloud.',
    seen: ['condition', 'event', 'log', 'config', 'cli'],
    cureInMessage: true,
  },
} as const satisfies ErrorGroup;
