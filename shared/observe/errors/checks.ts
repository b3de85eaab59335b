/** What only a check finds: `poolwright doctor`, and the checks of the host itself. */
import type { ErrorGroup } from './entry.ts';

export const checks = {
  TimerLate: {
    cause: 'A timer of the host has not run for longer than it should, or has never run.',
    cure: 'Look whether the host runs and its timer triggers are enabled; a host that has just started needs a minute.',
    seen: ['check'],
  },
  TimerFailing: {
    cause: 'The last run of a timer of the host failed.',
    cure: 'Read the error in the message and the log of the host; the timer runs again by itself.',
    seen: ['check', 'log'],
  },
  QueueLate: {
    cause: 'Events wait on the queue and nobody handles them.',
    cure: 'Look whether the function that handles events runs and may read the queue.',
    seen: ['check'],
  },
  StaleClaims: {
    cause: 'Claims are not Ready long after their deadlines, or are still being deleted after an hour.',
    cure: 'Ask for the story of one of them with `poolwright explain claim/<name>`.',
    seen: ['check'],
  },
  VersionsDiffer: {
    cause: 'The command and the host are of different releases.',
    cure: 'Use the command of the release that the host has, or update the host.',
    seen: ['check'],
  },
  ClockSkew: {
    cause: 'The clock of this machine and that of a server disagree, so tokens may be refused and ages are wrong.',
    cure: 'Let both machines take their time from the same source.',
    seen: ['check'],
  },
  WebhookUnusable: {
    cause:
      'The ValidatingWebhookConfiguration of Poolwright calls a host that does not answer, trusts a certificate that ends, or may hold people up.',
    cure: 'Change it as the check says; without it events come from a watch, a bridge or the resync.',
    seen: ['check'],
  },
  OrphanInstances: {
    cause: 'A cloud has machines of this deployment whose claims are gone or have moved on.',
    cure: 'Wait: garbage collection deletes them after a second look. If they stay, its log says why.',
    seen: ['check'],
  },
} as const satisfies ErrorGroup;
