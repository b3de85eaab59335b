/**
 * Every line that the product logs, by a stable id: people search and alert on ids, so an id is never renamed or reused.
 * A new line is a new entry here; what differs from case to case travels in its fields, not in its text.
 */
import type { ErrorCode } from '../errors/catalogue.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface LogEventKind {
  readonly level: LogLevel;
  readonly text: string;
  /** What `poolwright errors` explains, where the line tells of something that a user can mend. `reason`: the field of that name has it. */
  readonly code?: ErrorCode | 'reason';
}

const catalogue = {
  'host.started': { level: 'info', text: 'The host is up' },
  'host.stopping': { level: 'info', text: 'The host finishes its running steps and stops' },
  'host.stopped': { level: 'info', text: 'The host has stopped' },
  'host.failed': { level: 'error', text: 'The host cannot go on', code: 'StorageUnusable' },
  'host.misconfigured': {
    level: 'error',
    text: 'The configuration cannot be used; nothing is done until it is mended',
    code: 'InvalidConfiguration',
  },
  'timer.late': { level: 'info', text: 'A timer comes late; one run makes up for all that were missed' },
  'timer.failed': {
    level: 'error',
    text: 'A function on a timer failed; it runs again at its next time',
    code: 'TimerFailing',
  },
  'http.secret-file.unreadable': {
    level: 'error',
    text: 'A file of secrets cannot be read; what stood in it no longer counts',
    code: 'FileUnreadable',
  },
  'http.certificate.unusable': {
    level: 'error',
    text: 'The new certificate cannot be used; the old one stays',
    code: 'CertificateUnusable',
  },
  'http.failed': { level: 'error', text: 'An HTTP request ended in an unexpected error', code: 'Internal' },

  'host.tidied': { level: 'debug', text: 'State and histories whose time was over were removed' },
  'metrics.push.failed': {
    level: 'warn',
    text: 'Metrics could not be pushed to the collector; the next push has them all',
    code: 'MetricsNotPushed',
  },
  'metrics.push.resumed': { level: 'info', text: 'Metrics are pushed to the collector again' },
  'metrics.reported': { level: 'info', text: 'Metrics of this worker that have changed' },

  'event.ignored': { level: 'debug', text: 'An event is not for us' },
  'event.put-off': { level: 'debug', text: 'A message is looked at again later' },
  'event.dead-lettered': {
    level: 'warn',
    text: 'A message cannot be used and went to the dead letters',
    code: 'DeadLettered',
  },
  'event.dropped': { level: 'warn', text: 'Somebody threw dead letters away' },
  'interruption.received': { level: 'info', text: 'The cloud interrupts the machine of a claim; the claim is deleted' },
  'interruption.malformed': {
    level: 'warn',
    text: 'Messages on the interruption queue cannot be read and were dropped',
  },
  'interruption.queue.unusable': {
    level: 'error',
    text: 'The interruption queue cannot be received from; it is tried again, and machines that go are noticed later',
    code: 'InterruptionQueueUnusable',
  },
  'interruption.queue.usable': { level: 'info', text: 'The interruption queue is received from' },
  'queue.failed': { level: 'error', text: 'A message failed and will be tried again' },

  'workflow.started': { level: 'debug', text: 'A workflow started' },
  'workflow.ended': { level: 'debug', text: 'A workflow ended' },
  'workflow.failed': { level: 'error', text: 'A workflow ended in an unexpected error', code: 'WorkflowFailed' },
  'workflow.mismatch': {
    level: 'warn',
    text: 'A history no longer matches the code; it is closed and started afresh',
    code: 'WorkflowMismatch',
  },
  'workflow.set-aside': { level: 'error', text: 'A step kept killing the host and was set aside', code: 'SetAside' },
  'workflow.retried': { level: 'info', text: 'A workflow that was set aside is tried again' },
  'workflow.restarted': { level: 'info', text: 'Somebody had a workflow started once more' },
  'workflow.journal-unusable': {
    level: 'error',
    text: 'The journal of the workflows cannot be used',
    code: 'StorageUnusable',
  },
  'step.failed': { level: 'warn', text: 'A step failed and will be tried again' },

  'claim.launching': { level: 'info', text: 'An instance is being created for the claim' },
  'claim.taken-over': { level: 'info', text: 'The instance of a predecessor was taken over with its claim' },
  'claim.foreign': {
    level: 'warn',
    text: 'Another provisioner launched the claim, and its instance is not ours',
    code: 'ForeignInstance',
  },
  'claim.ready': { level: 'info', text: 'The claim is ready' },
  'claim.failed': { level: 'warn', text: 'The claim could not be satisfied', code: 'reason' },
  'claim.terminating': { level: 'info', text: 'The claim is being deleted' },
  'claim.terminated': { level: 'info', text: 'The claim is gone, and nothing of it is left' },
  'claim.condition.unwritten': { level: 'debug', text: 'A condition could not be written' },
  'claim.event.untold': { level: 'debug', text: 'An Event about the claim could not be written' },
  'claim.unwritable': {
    level: 'warn',
    text: 'The API server refuses every write to the claim',
    code: 'ClaimNotWritable',
  },
  'claim.unreadable': {
    level: 'error',
    text: 'The attempt record of the claim cannot be read; nothing is bought for it',
    code: 'AttemptUnreadable',
  },
  'decision.lost': { level: 'warn', text: 'A decision could not be recorded for explain' },
  'claim.finalizer.restored': { level: 'warn', text: 'Somebody took our finalizer off a claim; it was put back' },
  'node.restored': { level: 'warn', text: 'A Node had lost what its claim gives it; it was given again' },
  'attempt.closed': { level: 'info', text: 'An attempt was closed' },
  'offering.unavailable': { level: 'warn', text: 'An offering is sold out and is left alone for a while' },
  'offering.cleared': { level: 'info', text: 'Somebody wants an offering to be tried again' },
  'provider.failed': { level: 'warn', text: 'A provider answered with a failure', code: 'reason' },

  'catalogue.failed': {
    level: 'warn',
    text: 'A cloud could not be asked what it has; what was known before is used, or done without',
  },

  'azure.image-family.unknown': {
    level: 'warn',
    text: 'The image family that a claim names is not known; its node gets Ubuntu',
  },
  'azure.delete.failed': { level: 'warn', text: 'The delete of an agent pool failed; it is begun again' },

  'resync.done': { level: 'debug', text: 'The resync has compared claims with workflows' },
  'resync.restarted': { level: 'info', text: 'The resync started what was missing' },
  'resync.failed': { level: 'warn', text: 'The resync could not be finished; it runs again at its next time' },
  'pool.scaled': { level: 'info', text: 'A static pool made or removed claims' },
  'pool.held': { level: 'info', text: 'A static pool waits with what it would do' },
  'pool.failed': { level: 'warn', text: 'A static pool could not be brought to its replicas; it is looked at again' },
  'nodeclass.failed': { level: 'warn', text: 'A node class could not be looked at; it is tried again' },
  'claim.expired': { level: 'info', text: 'The time of a claim is over; it was deleted' },
  'claim.pool-gone': { level: 'info', text: 'The NodePool of a claim is gone; the claim was deleted' },
  'garbage.collected': { level: 'warn', text: 'An instance that belongs to no claim was deleted' },
  'garbage.stopped': {
    level: 'error',
    text: 'Garbage collection wanted to delete more than it may and stopped',
    code: 'GarbageStopped',
  },
  'garbage.undecided': { level: 'info', text: 'Garbage collection could not be sure and left things alone' },

  'owner.acts': { level: 'info', text: 'This deployment acts on the cluster' },
  'owner.read-only': { level: 'warn', text: 'This deployment only reads the cluster', code: 'reason' },

  'cluster.limited': {
    level: 'warn',
    text: 'Something does not work in the cluster, while the rest does',
    code: 'ClusterLimited',
  },
  'cluster.settings.changed': { level: 'info', text: 'The settings of the cluster changed' },
  'cluster.settings.unusable': {
    level: 'warn',
    text: 'The settings of the cluster cannot be used; those before stay in use',
    code: 'ClusterSettingsUnusable',
  },
  'webhook.event.lost': {
    level: 'warn',
    text: 'The webhook could not queue an event; the resync makes up for it',
    code: 'QueueUnavailable',
  },
  'bridge.started': { level: 'info', text: 'The bridge is up' },
  'bridge.stopped': { level: 'info', text: 'The bridge has stopped' },
  'bridge.resumed': { level: 'info', text: 'The bridge goes on from where an earlier one stopped' },
  'bridge.send.failed': {
    level: 'warn',
    text: 'The queue did not take the events; they are sent again after a pause',
    code: 'QueueUnavailable',
  },
  'bridge.event.rejected': {
    level: 'error',
    text: 'The queue will never take this event; the resync makes up for it',
    code: 'InvalidEvent',
  },
  'bridge.bookmark.failed': { level: 'warn', text: 'The bookmark could not be read or written; the bridge goes on' },

  'cluster.list.failed': { level: 'warn', text: 'The cluster could not be listed; it is tried again after a pause' },
  'cluster.watch.failed': { level: 'warn', text: 'The watch broke; it goes on after a pause' },
  'cluster.watch.expired': { level: 'info', text: 'The watch fell too far behind; the cluster is listed again' },
  'cluster.watch.synced': { level: 'debug', text: 'The first list is complete' },
  'cluster.handler.failed': {
    level: 'error',
    text: 'The handler of a watch event threw; the object will be handed over again',
  },
  'cluster.reached': { level: 'info', text: 'The cluster answers' },
  'cluster.unreachable': {
    level: 'error',
    text: 'The cluster does not answer; the others are served meanwhile',
    code: 'ClusterUnavailable',
  },
  'cluster.twice': {
    level: 'error',
    text: 'Two names of the configuration mean one cluster; the second is not served',
    code: 'ClusterTwice',
  },
  'cluster.access.doubtful': {
    level: 'error',
    text: 'The credentials for the cluster cannot work now',
    code: 'NoClusterAccess',
  },
  'cluster.tls.unverified': {
    level: 'warn',
    text: 'The certificate of the cluster is not checked, as the configuration says',
    code: 'TlsUnverified',
  },
  'cluster.certificate-file.unusable': {
    level: 'warn',
    text: 'A certificate file cannot be used; the last certificate stays in use',
    code: 'CertificateUnusable',
  },
  'cluster.token-file.unreadable': {
    level: 'warn',
    text: 'The token file cannot be read; the last token stays in use',
    code: 'FileUnreadable',
  },
} as const satisfies Record<string, LogEventKind>;

export type LogEventId = keyof typeof catalogue;

export const logEvents: Readonly<Record<LogEventId, LogEventKind>> = catalogue;
