/** What is wrong with what was configured. */
import type { ErrorGroup } from './entry.ts';

export const configuration = {
  InvalidConfiguration: {
    cause:
      'Something that was configured cannot be used: a field of the configuration, or what the cloud refuses of a claim, a node class or a provider.',
    cure: 'Change what the message names.',
    more: 'At the start, each line names file and line, field, value, what is allowed and the nearest name, for all mistakes at once; `poolwright config check` says the same without a start. On a claim, the message has the words of the cloud.',
    seen: ['condition', 'event', 'log', 'config', 'cli'],
    cureInMessage: true,
  },
} as const satisfies ErrorGroup;
