/** What is wrong with messages and with the workflows that they start. */
import { byItself, type ErrorGroup } from './entry.ts';

export const queueAndWorkflows = {
  SetAside: {
    cause: 'A workflow step of this claim repeatedly crashed the host, so the host set the workflow aside.',
    cure: 'Find out why the host crashed, then retry the workflow.',
    more: 'The host also retries it automatically after `workflow.retrySetAsideAfter`.',
    seen: ['condition', 'event', 'log'],
  },
  DeadLettered: {
    cause: 'A message was invalid or failed too often, and was moved to the dead letters.',
    cure: 'Read its reason with `poolwright deadletters show <id>`. Fix the sender, then replay or drop the message.',
    more: 'No claim depends on the message: the resync checks every claim.',
    seen: ['log'],
  },
  UnknownDeadLetter: {
    cause: 'No dead letter has this id: it was replayed or dropped, or the id is misspelled.',
    cure: 'List the dead letters with `poolwright deadletters`.',
    seen: ['http', 'cli'],
  },
  QueueFull: {
    cause:
      'The queue has reached its limit of waiting events, for this cluster or (on Azure and AWS) for all clusters.',
    cure: 'Send the events again later. If it persists, check that the event watcher is running, why it is slow, and which sender sends most of the events.',
    more: 'On the local host each cluster has a limit of its own (`queue.maxWaitingPerCluster`), so other clusters are not affected.',
    seen: ['http', 'log'],
  },
  QueueUnavailable: {
    cause: 'The host could not store the events on the queue.',
    cure: "Send all of them again. Check the queue and the host's permissions.",
    seen: ['http', 'log'],
  },
  DiskAlmostFull: {
    cause: 'The disk with the data directory has too little free space, so the host accepts no events.',
    cure: 'Free some space on the disk. The host accepts events again as soon as there is enough; `queue.minFreeMegabytes` sets the limit.',
    more: 'No claim depends on the events: the resync checks every claim.',
    seen: ['http', 'log'],
  },
  DeadLettersDropped: {
    cause: 'There were more or older dead letters than `queue.deadLetters` allows, so the host dropped the oldest.',
    cure: 'Read the reasons of those that are left with `poolwright deadletters`, and fix the sender.',
    more: 'No claim depends on a dead letter: the resync checks every claim.',
    seen: ['log'],
  },
  InvalidEvent: {
    cause: 'The request body is not a valid event.',
    cure: 'Correct it as the response says; the schemas are in `events/`.',
    seen: ['http', 'log'],
  },
  NotABatch: {
    cause: 'The content type says batch, but the body is not a list of events.',
    cure: 'Send a JSON array, or use the content type of a single event.',
    seen: ['http'],
  },
  BatchTooLarge: {
    cause: 'The batch has more events than one request may contain.',
    cure: 'Split it into several requests.',
    seen: ['http'],
  },
  UnknownWorkflow: {
    cause: 'There is no workflow with this id.',
    cure: 'List the workflows with `poolwright get workflows`. The host removes old workflows.',
    seen: ['http', 'cli'],
  },
  NotSetAside: {
    cause: 'Only a workflow that was set aside can be retried.',
    cure: 'None needed if the workflow is running or has ended: the resync starts what a claim needs.',
    seen: ['http'],
  },
  StillRunning: {
    cause: 'The workflow is running, so the host does not restart it.',
    cure: 'See what it is waiting for with `poolwright workflows show <id>`. If it hangs or is lost, restart it with --force.',
    more: 'A second run is safe: it continues from the state recorded on the claim, and the older run stops.',
    seen: ['http'],
  },
  WorkflowGone: {
    cause: 'This version of Poolwright no longer has a workflow with that name, so it cannot run it.',
    cure: 'None needed: the resync starts what the claim needs with the workflows of this version.',
    seen: ['http'],
  },
  Superseded: {
    cause: 'A later epoch of the same workflow has replaced this one.',
    cure: 'Use the later epoch.',
    seen: ['http'],
  },
  WorkflowFailed: {
    cause: 'A workflow ended with an unexpected error, which is a bug.',
    cure: 'The resync starts it again. Please report the bug with the log line.',
    seen: ['log'],
  },
  WorkflowMismatch: {
    cause:
      "A workflow's history does not match the code, for example after an upgrade; the host closed the workflow and started it again.",
    cure: byItself,
    seen: ['log'],
  },
  InterruptionQueueUnusable: {
    cause: "The host cannot receive messages from the cloud's interruption queue.",
    cure: "Check the queue's name and the host's permissions. Until then, the host notices interrupted instances later.",
    seen: ['log'],
  },
} as const satisfies ErrorGroup;
