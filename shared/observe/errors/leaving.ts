/** Why a machine goes that was wanted, or does not go that is not. */
import { byItself, type ErrorGroup } from './entry.ts';

const both = 'NodeClaim, Node';
const lookAtRights = "Check the provisioner's RBAC permissions and admission policies. The host retries.";

export const leaving = {
  SpotInterrupted: {
    cause: 'The cloud reclaims the spot instance; the host deletes the claim and drains its node.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  InstanceStopping: {
    cause: 'The cloud is stopping the instance; the host deletes the claim.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  InstanceTerminating: {
    cause: 'The cloud is terminating the instance; the host deletes the claim.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  InstanceUnhealthy: {
    cause: 'The cloud has scheduled maintenance of the instance, such as its retirement; the host deletes the claim.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  CapacityReservationInterrupted: {
    cause: "The cloud reclaims the instance's capacity reservation; the host deletes the claim.",
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  ForeignFinalizer: {
    cause: "The claim's cloud resources are deleted, but a finalizer of another controller keeps the object.",
    cure: 'Let the controller that set the finalizer remove it. If that controller is gone for good, remove the finalizer with kubectl edit.',
    seen: ['cli'],
  },
  EvictionRefused: {
    cause: 'A PodDisruptionBudget does not currently allow an eviction.',
    cure: 'Wait, or relax the budget.',
    more: '`spec.terminationGracePeriod` of the claim limits how long a drain may take.',
    seen: ['event'],
  },
  BudgetsOverlap: {
    cause: 'More than one PodDisruptionBudget covers a pod, so Kubernetes never evicts it.',
    cure: 'Make their selectors disjoint.',
    seen: ['event'],
  },
  DrainFailed: {
    cause: 'The API server does not allow the host to read or taint the Node, or to list its pods.',
    cure: lookAtRights,
    seen: ['event'],
  },
  EvictionFailed: {
    cause: 'The API server failed to evict a pod.',
    cure: 'Read the message. The host retries.',
    seen: ['event'],
  },
  PodsNotToBeDisrupted: {
    cause: 'Pods marked do-not-disrupt block the drain.',
    cure: 'Delete them, or set a termination grace period.',
    seen: ['event'],
  },
  AwaitingVolumeDetachment: {
    cause: 'Volumes are still attached to the node.',
    cure: 'If it persists, check the CSI driver.',
    seen: ['condition', 'event'],
  },
  TerminationGracePeriodExpiring: {
    cause:
      'The termination grace period ends soon; the host deletes the remaining pods without respecting disruption budgets.',
    cure: byItself,
    seen: ['event'],
  },
  TerminationGracePeriodElapsed: {
    cause: 'The termination grace period is over; the host skipped the rest of the drain.',
    cure: byItself,
    seen: ['condition', 'event'],
  },
  DeleteRefused: {
    cause: 'The cloud refuses to delete the instance.',
    cure: 'Read the message. The host retries until the instance is deleted, because a leaked instance costs money.',
    seen: ['condition', 'event'],
  },
  NodeNotDeleted: {
    cause: 'The instance is gone, but the API server refuses to delete its Node.',
    cure: lookAtRights,
    seen: ['condition', 'event'],
  },
  ForeignInstance: {
    cause: 'Another provisioner launched the claim, and its instance does not belong to this deployment.',
    cure: 'Leave the claim to that provisioner. If it is gone, run `poolwright adopt claim/<name>`, or delete the claim and remove its finalizer.',
    seen: ['event', 'log'],
  },
  NotAdopted: {
    cause: 'The instance cannot be adopted because it does not match the claim, or there is nothing to adopt.',
    cure: 'Read the message. Nothing was changed unless it says so.',
    more:
      '`poolwright adopt` takes over an instance only if all evidence shows that it was created for this claim and that it has no other owner. ' +
      'It rebuilds an unreadable attempt record only if exactly one instance matches.',
    seen: ['http'],
    cureInMessage: true,
  },
  GarbageStopped: {
    cause: 'More instances without a claim were found than garbage collection may delete at once, so it stopped.',
    cure: 'Make sure that no one needs these instances; then raise `garbageCollection.maxDeletesAtLeast` for one run.',
    more: 'Typical causes: the cluster was restored from a backup, or a user force-deleted many claims.',
    seen: ['log'],
  },
} as const satisfies ErrorGroup;
