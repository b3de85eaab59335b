/**
 * Every line that the product logs, by a stable id: people search and alert on ids, so an id is never renamed or reused.
 * A new line is a new entry here; what differs from case to case travels in its fields, not in its text.
 */
import type { ErrorCode } from '../errors/catalog.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface LogEventKind {
  readonly level: LogLevel;
  readonly text: string;
  /** What `poolwright errors` explains, where the line tells of something that a user can mend. `reason`: the field of that name has it. */
  readonly code?: ErrorCode | 'reason';
}

const catalog = {
  'host.started': { level: 'info', text: 'The host has started' },
  'host.stopping': { level: 'info', text: 'The host is finishing its running steps and stopping' },
  'host.stopped': { level: 'info', text: 'The host has stopped' },
  'host.failed': { level: 'error', text: 'The host cannot continue', code: 'StorageUnusable' },
  'host.misconfigured': {
    level: 'error',
    text: 'The configuration is invalid; the host does nothing until it is fixed',
    code: 'InvalidConfiguration',
  },
  'timer.late': { level: 'info', text: 'A timer is late; one run makes up for all missed runs' },
  'timer.failed': {
    level: 'error',
    text: 'A function on a timer failed; it runs again on schedule',
    code: 'TimerFailing',
  },
  'http.secret-file.unreadable': {
    level: 'error',
    text: 'A secret file is unreadable; its secrets are no longer accepted',
    code: 'FileUnreadable',
  },
  'http.certificate.unusable': {
    level: 'error',
    text: 'The new certificate is invalid; the previous one stays in use',
    code: 'CertificateUnusable',
  },
  'http.failed': { level: 'error', text: 'An HTTP request ended with an unexpected error', code: 'Internal' },

  'http.denied': { level: 'warn', text: 'A caller asked for what its role does not allow', code: 'RoleTooLow' },
  'audit.recorded': { level: 'info', text: 'A caller changed something' },
  'audit.lost': {
    level: 'error',
    text: 'The audit log could not be written; this line is the record',
    code: 'AuditLost',
  },

  'cluster-request.notification.refused': {
    level: 'warn',
    text: 'A receiver refused a notification about a cluster; it is not sent to it again',
    code: 'NotificationFailed',
  },

  'host.tidied': { level: 'debug', text: 'Expired state and workflow histories were removed' },
  'metrics.push.failed': {
    level: 'warn',
    text: 'The host could not push metrics to the collector; the next push includes them',
    code: 'MetricsNotPushed',
  },
  'metrics.push.resumed': { level: 'info', text: 'Pushing metrics to the collector works again' },
  'metrics.reported': { level: 'info', text: 'Metrics of this worker that changed' },

  'event.ignored': { level: 'debug', text: 'The event is not for this deployment' },
  'event.put-off': { level: 'debug', text: 'The message will be processed again later' },
  'event.dead-lettered': {
    level: 'warn',
    text: 'A message was invalid or failed too often and was moved to the dead letters',
    code: 'DeadLettered',
  },
  'event.dropped': { level: 'warn', text: 'A user dropped dead letters' },
  'event.dead-letters.bounded': {
    level: 'warn',
    text: 'There were too many dead letters, or they were too old; the oldest were dropped',
    code: 'DeadLettersDropped',
  },
  'interruption.received': {
    level: 'info',
    text: 'The cloud interrupts the instance of a claim; the host deletes the claim',
  },
  'interruption.unconfirmed': {
    level: 'warn',
    text: 'An event says that an instance is interrupted, but the cloud does not; the host does nothing',
  },
  'deletions.limited': {
    level: 'error',
    text: 'Events want to delete more claims than are allowed in a minute; the host waits',
  },
  'interruption.malformed': {
    level: 'warn',
    text: 'Malformed messages on the interruption queue were dropped',
  },
  'interruption.queue.unusable': {
    level: 'error',
    text: 'The host cannot receive from the interruption queue; it retries, and notices interrupted instances later',
    code: 'InterruptionQueueUnusable',
  },
  'interruption.queue.usable': { level: 'info', text: 'The host receives from the interruption queue' },
  'queue.failed': { level: 'error', text: 'Processing a message failed and will be retried' },

  'workflow.started': { level: 'debug', text: 'A workflow started' },
  'workflow.ended': { level: 'debug', text: 'A workflow ended' },
  'workflow.failed': { level: 'error', text: 'A workflow ended with an unexpected error', code: 'WorkflowFailed' },
  'workflow.mismatch': {
    level: 'warn',
    text: "A workflow's history does not match the code; the workflow was closed and started again",
    code: 'WorkflowMismatch',
  },
  'workflow.set-aside': {
    level: 'error',
    text: 'A workflow step repeatedly crashed the host; the workflow was set aside',
    code: 'SetAside',
  },
  'workflow.retried': { level: 'info', text: 'Retrying a workflow that was set aside' },
  'workflow.restarted': { level: 'info', text: 'A user restarted a workflow' },
  'workflow.journal-unusable': {
    level: 'error',
    text: 'The workflow journal is unusable',
    code: 'StorageUnusable',
  },
  'step.failed': { level: 'warn', text: 'A step failed and will be retried' },

  'claim.launching': { level: 'info', text: 'An instance is being created for the claim' },
  'claim.taken-over': {
    level: 'info',
    text: 'A claim and the instance that another provisioner created for it were taken over',
  },
  'claim.foreign': {
    level: 'warn',
    text: 'Another provisioner launched the claim, and its instance does not belong to this deployment',
    code: 'ForeignInstance',
  },
  'claim.ready': { level: 'info', text: 'The claim is ready' },
  'claim.failed': { level: 'warn', text: 'The claim could not be satisfied', code: 'reason' },
  'claim.terminating': { level: 'info', text: 'The claim is being deleted' },
  'claim.terminated': { level: 'info', text: 'The claim and all its cloud resources are deleted' },
  'claim.condition.unwritten': { level: 'debug', text: 'A condition could not be written' },
  'claim.event.untold': { level: 'debug', text: 'An Event about the claim could not be written' },
  'claim.unwritable': {
    level: 'warn',
    text: 'The API server rejects every write to the claim',
    code: 'ClaimNotWritable',
  },
  'claim.unreadable': {
    level: 'error',
    text: 'The attempt record of the claim is unreadable; the host creates no instance for it',
    code: 'AttemptUnreadable',
  },
  'decision.lost': { level: 'warn', text: 'A decision could not be recorded for explain' },
  'claim.finalizer.restored': {
    level: 'warn',
    text: 'The finalizer of a claim was removed by another client; the host restored it',
  },
  'node.restored': { level: 'warn', text: 'A Node had lost its labels, owner or finalizer; the host restored them' },
  'attempt.closed': { level: 'info', text: 'An attempt was closed' },
  'offering.unavailable': { level: 'warn', text: 'An offering is unavailable; the host skips it for a few minutes' },
  'offering.cleared': { level: 'info', text: 'A user cleared an unavailable offering' },
  'provider.failed': { level: 'warn', text: 'A provider call failed', code: 'reason' },

  'cloudstack.clock-skew': {
    level: 'warn',
    text: 'The clock of CloudStack differs from ours; requests are signed by its time',
    code: 'CloudStackClockSkew',
  },
  'catalogue.failed': {
    level: 'warn',
    text: 'The host could not list the offerings of a cloud; it uses the last known list, or none',
  },

  'azure.image-family.unknown': {
    level: 'warn',
    text: 'The image family of a claim is unknown; its node uses Ubuntu',
  },
  'azure.delete.failed': { level: 'warn', text: 'Deleting an agent pool failed; the host retries' },

  'cluster-request.start.late': {
    level: 'warn',
    text: 'The work on a request for a cluster could not begin at once; the next round begins it',
  },
  'cluster-request.begun': { level: 'info', text: 'The work on a request for a cluster has begun' },
  'cluster-request.settled': { level: 'info', text: 'Nothing is begun for a request for a cluster', code: 'reason' },
  'cluster-request.stage.ready': { level: 'info', text: 'A stage of a request for a cluster is ready' },
  'cluster-request.stage.failed': { level: 'warn', text: 'A stage of a request for a cluster has failed' },
  'cluster-request.ready': { level: 'info', text: 'The cluster is ready' },
  'cluster-request.gone': { level: 'info', text: 'Everything of a request for a cluster is gone' },
  'cluster-request.expired': { level: 'info', text: 'The lifetime of a cluster has ended; its request is deleted' },
  'cluster-request.drifted': { level: 'warn', text: 'A cluster differs from its request' },
  'cluster-request.orphan': {
    level: 'warn',
    text: 'Something that a request has made has no request any more; a cluster that exists is never deleted without one',
  },
  'cluster-request.orphan.removed': {
    level: 'info',
    text: 'What was left of a request without a cluster was removed',
  },
  'cluster-request.nodes.left': {
    level: 'warn',
    text: 'A cluster is deleted although its nodes may not be gone: look for their machines at the providers',
  },
  'cluster-request.restored': {
    level: 'warn',
    text: 'The request of a cluster was lost and has been made again from the tags of the cluster',
  },
  'cluster-request.not-restored': {
    level: 'warn',
    text: 'The request of a cluster is lost and cannot be made again now',
  },
  'cluster-request.removal.undecided': { level: 'warn', text: 'What is left of a request cannot be listed now' },
  'cluster-request.notice.failed': { level: 'warn', text: 'A notification about a request for a cluster failed' },
  'cluster-requests.undecided': {
    level: 'warn',
    text: 'The requests for clusters cannot be read now; they are read again on schedule',
  },
  'providers.undecided': {
    level: 'warn',
    text: 'Poolwright cannot read the Providers of virtual machines now; the next round does',
  },
  'provider.undecided': {
    level: 'warn',
    text: 'Poolwright cannot look after a Provider of virtual machines now; the next round does',
  },
  'machine.created': { level: 'info', text: 'The provider makes a virtual machine' },
  'machine.ready': { level: 'info', text: 'The virtual machine is ready' },
  'machine.gone': { level: 'info', text: 'The virtual machine is gone, and its object with it' },
  'machine.vanished': {
    level: 'warn',
    text: 'The virtual machine vanished; it is made again',
    code: 'MachineVanished',
  },
  'machine.create.failed': { level: 'warn', text: 'The provider did not make the virtual machine' },
  'machine.delete.failed': { level: 'warn', text: 'The virtual machine cannot be deleted now; the host retries' },
  'machine.operation.failed': { level: 'warn', text: 'The provider did not change the virtual machine' },
  'machine.task.failed': { level: 'warn', text: 'A task of the provider failed' },
  'machine.snapshot.gone': { level: 'info', text: 'The snapshot of a virtual machine is gone, and its object with it' },
  'machine.discarded': { level: 'info', text: 'What a failed create has left is deleted' },
  'machine.double.removed': {
    level: 'warn',
    text: 'The provider had made a virtual machine twice; one of the two is deleted',
  },
  'machine.abandoned': {
    level: 'warn',
    text: 'The object of a virtual machine goes by force; its machine may still be there',
  },
  'machine.image.failed': { level: 'warn', text: 'An image could not be prepared', code: 'MachineImageFailed' },
  'machines.adopted': { level: 'info', text: 'Machines that exist have got objects' },
  'machines.adoption.failed': { level: 'warn', text: 'A machine that exists could not get an object' },
  'machines.undecided': {
    level: 'warn',
    text: 'Virtual machines cannot be compared with their provider now; they are compared again on schedule',
  },
  'resync.done': { level: 'debug', text: 'The resync compared claims with workflows' },
  'resync.restarted': { level: 'info', text: 'The resync started missing workflows' },
  'resync.failed': { level: 'warn', text: 'The resync failed; it runs again on schedule' },
  'pool.scaled': { level: 'info', text: 'A static pool created or deleted claims' },
  'pool.held': { level: 'info', text: 'A static pool is waiting before it creates or deletes claims' },
  'pool.failed': { level: 'warn', text: 'A static pool could not reach its replicas; the host retries' },
  'nodeclass.failed': { level: 'warn', text: 'A node class could not be checked; the host retries' },
  'claim.expired': { level: 'info', text: 'A claim expired; the host deleted it' },
  'claim.pool-gone': { level: 'info', text: 'The NodePool of a claim is gone; the host deleted the claim' },
  'garbage.collected': { level: 'warn', text: 'Garbage collection deleted an instance that has no claim' },
  'garbage.stopped': {
    level: 'error',
    text: 'Garbage collection found more instances than it may delete and stopped',
    code: 'GarbageStopped',
  },
  'garbage.undecided': { level: 'info', text: 'Garbage collection could not decide and deleted nothing' },

  'owner.acts': { level: 'info', text: 'This deployment manages the cluster' },
  'owner.read-only': { level: 'warn', text: 'This deployment is read-only for the cluster', code: 'reason' },

  'cluster.limited': {
    level: 'warn',
    text: 'One feature does not work in the cluster; everything else does',
    code: 'ClusterLimited',
  },
  'cluster.settings.changed': { level: 'info', text: 'The settings of the cluster changed' },
  'cluster.settings.unusable': {
    level: 'warn',
    text: 'The settings of the cluster are invalid; the previous settings stay in effect',
    code: 'ClusterSettingsUnusable',
  },
  'watch.event.lost': {
    level: 'warn',
    text: 'The queue had no room for events of the watch; the resync will catch up',
    code: 'QueueFull',
  },
  'webhook.event.lost': {
    level: 'warn',
    text: 'The webhook could not queue an event; the resync will catch up',
    code: 'QueueUnavailable',
  },
  'provider-server.started': { level: 'info', text: 'The provider server has started' },
  'provider-server.stopping': { level: 'info', text: 'The provider server is finishing its calls and stopping' },
  'provider-server.stopped': { level: 'info', text: 'The provider server has stopped' },
  'provider-server.plaintext': {
    level: 'warn',
    text: 'The provider server has no TLS: everyone who can reach it can create and delete machines',
  },
  'provider-server.connection.refused': { level: 'warn', text: 'The provider server refused a connection' },
  'provider-server.certificates.reloaded': { level: 'info', text: 'The provider server uses new certificates' },
  'provider-server.certificates.unusable': {
    level: 'error',
    text: 'The new certificates are invalid; the previous ones stay in use',
    code: 'CertificateUnusable',
  },
  'provider-server.call.failed': { level: 'info', text: 'A call to the provider failed' },
  'provider-server.hypervisor.unreachable': {
    level: 'error',
    text: 'The hypervisor does not respond, or refuses the credentials',
  },
  'provider-server.hypervisor.reachable': { level: 'info', text: 'The hypervisor responds again' },
  'bridge.started': { level: 'info', text: 'The bridge has started' },
  'bridge.stopped': { level: 'info', text: 'The bridge has stopped' },
  'bridge.resumed': { level: 'info', text: 'The bridge continues where an earlier one stopped' },
  'bridge.send.failed': {
    level: 'warn',
    text: 'The queue did not accept the events; the bridge sends them again after a delay',
    code: 'QueueUnavailable',
  },
  'bridge.event.rejected': {
    level: 'error',
    text: 'The queue rejects this event permanently; the resync will catch up',
    code: 'InvalidEvent',
  },
  'bridge.bookmark.failed': {
    level: 'warn',
    text: 'The bookmark could not be read or written; the bridge continues without it',
  },

  'cluster.list.failed': { level: 'warn', text: 'Listing the cluster failed; the watch retries after a delay' },
  'cluster.watch.failed': { level: 'warn', text: 'The watch failed; it continues after a delay' },
  'cluster.watch.expired': { level: 'info', text: 'The watch fell too far behind; the host lists the cluster again' },
  'cluster.watch.synced': { level: 'debug', text: 'The initial list is complete' },
  'cluster.handler.failed': {
    level: 'error',
    text: 'The handler of a watch event threw an error; the object will be processed again',
  },
  'cluster.reached': { level: 'info', text: 'The cluster is reachable' },
  'cluster.unreachable': {
    level: 'error',
    text: 'The cluster is unreachable; the host continues to serve the others',
    code: 'ClusterUnavailable',
  },
  'cluster.twice': {
    level: 'error',
    text: 'Two entries of the configuration refer to the same cluster; the host ignores the second one',
    code: 'ClusterTwice',
  },
  'cluster.disputed': {
    level: 'error',
    text: 'The cluster does not have the identity that the host knows; the host does not serve it and collects no garbage of the clusters concerned',
    code: 'ClusterDisputed',
  },
  'cluster.confirmed': { level: 'warn', text: 'An operator has confirmed the identity of the cluster' },
  'cluster.access.doubtful': {
    level: 'error',
    text: 'The credentials for the cluster do not work',
    code: 'NoClusterAccess',
  },
  'cluster.tls.unverified': {
    level: 'warn',
    text: "The configuration disables verification of the cluster's certificate",
    code: 'TlsUnverified',
  },
  'cluster.certificate-file.unusable': {
    level: 'warn',
    text: 'A certificate file is invalid; the previous certificate stays in use',
    code: 'CertificateUnusable',
  },
  'cluster.token-file.unreadable': {
    level: 'warn',
    text: 'The token file is unreadable; the previous token stays in use',
    code: 'FileUnreadable',
  },
} as const satisfies Record<string, LogEventKind>;

export type LogEventId = keyof typeof catalog;

export const logEvents: Readonly<Record<LogEventId, LogEventKind>> = catalog;
