/** What only a check finds: `poolwright doctor`, and the checks of the host itself. */
import type { ErrorGroup } from './entry.ts';

export const checks = {
  TimerLate: {
    cause: 'A timer of the host is overdue, or has never run.',
    cure: 'Check that the host is running and that its timer triggers are enabled. A host that has just started needs a minute.',
    seen: ['check'],
  },
  TimerFailing: {
    cause: "The last run of one of the host's timers failed.",
    cure: "Read the error in the message and in the host's log. The timer runs again automatically.",
    seen: ['check', 'log'],
  },
  QueueLate: {
    cause: 'Events are waiting on the queue, and no function handles them.',
    cure: 'Check that the function that handles events is running and has permission to read the queue.',
    seen: ['check'],
  },
  StaleClaims: {
    cause: 'Some claims are not Ready long after their deadlines, or are still being deleted after an hour.',
    cure: 'Run `poolwright explain claim/<name>` for one of them.',
    seen: ['check'],
  },
  VersionsDiffer: {
    cause: 'The command and the host are different releases.',
    cure: "Install the command of the host's release, or upgrade the host.",
    seen: ['check'],
  },
  ClockSkew: {
    cause: 'The clocks of this machine and of a server differ, so tokens may be rejected and ages are wrong.',
    cure: 'Synchronize both clocks (NTP).',
    seen: ['check'],
  },
  WebhookUnusable: {
    cause:
      "Poolwright's ValidatingWebhookConfiguration calls a host that does not respond, trusts a certificate that expires soon, or can block API requests.",
    cure: 'Change it as the check says. Without the webhook, events come from a watch, a bridge or the resync.',
    seen: ['check'],
  },
  OrphanInstances: {
    cause: 'The cloud has instances of this deployment whose claims are gone or use another instance.',
    cure: 'Wait: garbage collection deletes them after a second check. If they remain, the log of the host says why.',
    seen: ['check'],
  },
} as const satisfies ErrorGroup;
