/**
 * Every line that the product logs, by a stable id: people search and alert on ids, so an id is never renamed or reused.
 * A new line is a new entry here; what differs from case to case travels in its fields, not in its text.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface LogEventKind {
  readonly level: LogLevel;
  readonly text: string;
}

const catalogue = {
  'host.started': { level: 'info', text: 'The host is up' },
  'host.stopping': { level: 'info', text: 'The host finishes its running steps and stops' },
  'host.stopped': { level: 'info', text: 'The host has stopped' },
  'host.failed': { level: 'error', text: 'The host cannot go on' },
  'host.misconfigured': {
    level: 'error',
    text: 'The configuration cannot be used; nothing is done until it is mended',
  },
  'timer.late': { level: 'info', text: 'A timer comes late; one run makes up for all that were missed' },
  'timer.failed': { level: 'error', text: 'A function on a timer failed; it runs again at its next time' },
  'http.secret-file.unreadable': {
    level: 'error',
    text: 'A file of secrets cannot be read; what stood in it no longer counts',
  },
  'http.certificate.unusable': { level: 'error', text: 'The new certificate cannot be used; the old one stays' },
  'http.failed': { level: 'error', text: 'An HTTP request ended in an unexpected error' },

  'host.tidied': { level: 'debug', text: 'State and histories whose time was over were removed' },
  'metrics.reported': { level: 'info', text: 'Metrics of this worker that have changed' },

  'event.ignored': { level: 'debug', text: 'An event is not for us' },
  'event.dead-lettered': { level: 'warn', text: 'A message cannot be used and went to the dead letters' },
  'queue.failed': { level: 'error', text: 'A message failed and will be tried again' },

  'workflow.started': { level: 'debug', text: 'A workflow started' },
  'workflow.ended': { level: 'debug', text: 'A workflow ended' },
  'workflow.failed': { level: 'error', text: 'A workflow ended in an unexpected error' },
  'workflow.mismatch': { level: 'warn', text: 'A history no longer matches the code; it is closed and started afresh' },
  'workflow.set-aside': { level: 'error', text: 'A step kept killing the host and was set aside' },
  'workflow.retried': { level: 'info', text: 'A workflow that was set aside is tried again' },
  'workflow.journal-unusable': { level: 'error', text: 'The journal of the workflows cannot be used' },
  'step.failed': { level: 'warn', text: 'A step failed and will be tried again' },

  'claim.launching': { level: 'info', text: 'An instance is being created for the claim' },
  'claim.taken-over': { level: 'info', text: 'The instance of a predecessor was taken over with its claim' },
  'claim.foreign': { level: 'warn', text: 'Another provisioner launched the claim, and its instance is not ours' },
  'claim.ready': { level: 'info', text: 'The claim is ready' },
  'claim.failed': { level: 'warn', text: 'The claim could not be satisfied' },
  'claim.terminating': { level: 'info', text: 'The claim is being deleted' },
  'claim.terminated': { level: 'info', text: 'The claim is gone, and nothing of it is left' },
  'claim.condition.unwritten': { level: 'debug', text: 'A condition could not be written' },
  'claim.event.untold': { level: 'debug', text: 'An Event about the claim could not be written' },
  'claim.unwritable': { level: 'warn', text: 'The API server refuses every write to the claim' },
  'claim.unreadable': {
    level: 'error',
    text: 'The attempt record of the claim cannot be read; nothing is bought for it',
  },
  'decision.lost': { level: 'warn', text: 'A decision could not be recorded for explain' },
  'claim.finalizer.restored': { level: 'warn', text: 'Somebody took our finalizer off a claim; it was put back' },
  'node.restored': { level: 'warn', text: 'A Node had lost what its claim gives it; it was given again' },
  'attempt.closed': { level: 'info', text: 'An attempt was closed' },
  'offering.unavailable': { level: 'warn', text: 'An offering is sold out and is left alone for a while' },
  'provider.failed': { level: 'warn', text: 'A provider answered with a failure' },

  'azure.catalogue.failed': {
    level: 'warn',
    text: 'Azure could not be asked what it sells; what was known before is used, or done without',
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
  'garbage.stopped': { level: 'error', text: 'Garbage collection wanted to delete more than it may and stopped' },
  'garbage.undecided': { level: 'info', text: 'Garbage collection could not be sure and left things alone' },

  'owner.acts': { level: 'info', text: 'This deployment acts on the cluster' },
  'owner.read-only': { level: 'warn', text: 'This deployment only reads the cluster' },

  'cluster.limited': { level: 'warn', text: 'Something does not work in the cluster, while the rest does' },
  'cluster.settings.changed': { level: 'info', text: 'The settings of the cluster changed' },
  'cluster.settings.unusable': {
    level: 'warn',
    text: 'The settings of the cluster cannot be used; those before stay in use',
  },
  'webhook.event.lost': { level: 'warn', text: 'The webhook could not queue an event; the resync makes up for it' },
  'bridge.started': { level: 'info', text: 'The bridge is up' },
  'bridge.stopped': { level: 'info', text: 'The bridge has stopped' },
  'bridge.resumed': { level: 'info', text: 'The bridge goes on from where an earlier one stopped' },
  'bridge.send.failed': { level: 'warn', text: 'The queue did not take the events; they are sent again after a pause' },
  'bridge.event.rejected': { level: 'error', text: 'The queue will never take this event; the resync makes up for it' },
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
  'cluster.unreachable': { level: 'error', text: 'The cluster does not answer; the others are served meanwhile' },
  'cluster.twice': {
    level: 'error',
    text: 'Two names of the configuration mean one cluster; the second is not served',
  },
  'cluster.access.doubtful': { level: 'error', text: 'The credentials for the cluster cannot work now' },
  'cluster.tls.unverified': {
    level: 'warn',
    text: 'The certificate of the cluster is not checked, as the configuration says',
  },
  'cluster.certificate-file.unusable': {
    level: 'warn',
    text: 'A certificate file cannot be used; the last certificate stays in use',
  },
  'cluster.token-file.unreadable': {
    level: 'warn',
    text: 'The token file cannot be read; the last token stays in use',
  },
} as const satisfies Record<string, LogEventKind>;

export type LogEventId = keyof typeof catalogue;

export const logEvents: Readonly<Record<LogEventId, LogEventKind>> = catalogue;
