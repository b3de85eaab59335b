/** What is wrong with messages and with the workflows that they start. */
import { byItself, type ErrorGroup } from './entry.ts';

export const queueAndWorkflows = {
  SetAside: {
    cause: 'A step of this claim kept killing the host and is left alone for a while.',
    cure: 'Find out why the host died, then retry the workflow.',
    more: 'It is also tried again by itself, after `workflow.retrySetAsideAfter`.',
    seen: ['condition', 'event', 'log'],
  },
  DeadLettered: {
    cause: 'A message cannot be used, or failed too often, and went to the dead letters.',
    cure: 'Read its reason with `poolwright deadletters show <id>`; mend the sender, then replay or drop it.',
    more: 'Nothing hangs on it: the resync looks at every claim.',
    seen: ['log'],
  },
  UnknownDeadLetter: {
    cause: 'No dead letter has this id: it was replayed or dropped, or the id is misspelt.',
    cure: 'List them with `poolwright deadletters`.',
    seen: ['http', 'cli'],
  },
  QueueFull: {
    cause: 'More events wait than the intake lets wait.',
    cure: 'Send again later. If it lasts, look whether the watcher runs and why it is slow.',
    seen: ['http'],
  },
  QueueUnavailable: {
    cause: 'The events could not be stored on the queue.',
    cure: 'Send all of them again; look at the queue and at the rights of the host.',
    seen: ['http', 'log'],
  },
  InvalidEvent: {
    cause: 'What was sent is no event that can be used here.',
    cure: 'Change it as the answer says; the schemas stand in `events/`.',
    seen: ['http', 'log'],
  },
  NotABatch: {
    cause: 'The content type says batch, and the body is no list of events.',
    cure: 'Send a JSON list, or the content type of one event.',
    seen: ['http'],
  },
  BatchTooLarge: {
    cause: 'The batch has more events than one request may bring.',
    cure: 'Send it in parts.',
    seen: ['http'],
  },
  UnknownWorkflow: {
    cause: 'No workflow with this id is kept.',
    cure: 'List them with `poolwright get workflows`; an old one may have been tidied away.',
    seen: ['http', 'cli'],
  },
  NotSetAside: {
    cause: 'Only a workflow that was set aside can be tried again.',
    cure: 'Nothing, if it runs or has ended; the resync starts what a claim needs.',
    seen: ['http'],
  },
  StillRunning: {
    cause: 'The workflow runs, so it is not started once more.',
    cure: 'Look at what it waits for with `poolwright workflows show <id>`; if it hangs or is lost, restart it with --force.',
    more: 'A second one does no harm: it finds on the claim how far things are, and the older one gives way.',
    seen: ['http'],
  },
  WorkflowGone: {
    cause: 'This version of Poolwright has no workflow of that name any more, so nothing can run it.',
    cure: 'Nothing: the resync starts what its claim needs, with the workflows of this version.',
    seen: ['http'],
  },
  Superseded: {
    cause: 'A later epoch of the same workflow has followed.',
    cure: 'Look at that one.',
    seen: ['http'],
  },
  WorkflowFailed: {
    cause: 'A workflow ended in an unexpected error, which is a bug.',
    cure: 'The resync starts it afresh; please report it with the line of the log.',
    seen: ['log'],
  },
  WorkflowMismatch: {
    cause: 'A history no longer matches the code, as after an upgrade; it is closed and started afresh.',
    cure: byItself,
    seen: ['log'],
  },
  InterruptionQueueUnusable: {
    cause: 'The queue on which the cloud announces interruptions cannot be received from.',
    cure: 'Look at its name and at the rights of the host; meanwhile machines that go are noticed later.',
    seen: ['log'],
  },
} as const satisfies ErrorGroup;
