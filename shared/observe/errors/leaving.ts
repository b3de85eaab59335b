/** Why a machine goes that was wanted, or does not go that is not. */
import { byItself, type ErrorGroup } from './entry.ts';

const both = 'NodeClaim, Node';
const lookAtRights = 'Look at the rights of the provisioner and at admission policies; it is tried again.';

export const leaving = {
  SpotInterrupted: {
    cause: 'The cloud takes the spot machine back; the claim is deleted and its node drained.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  InstanceStopping: {
    cause: 'The machine is being stopped at the cloud; the claim is deleted.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  InstanceTerminating: {
    cause: 'The machine is being taken down at the cloud; the claim is deleted.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  InstanceUnhealthy: {
    cause: 'The cloud has scheduled a change of the machine, such as its retirement; the claim is deleted.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  CapacityReservationInterrupted: {
    cause: 'The capacity reservation of the machine is taken back; the claim is deleted.',
    cure: byItself,
    seen: ['event'],
    about: both,
  },
  ForeignFinalizer: {
    cause: 'Nothing of the claim is left at the cloud, but a finalizer that somebody else put on keeps the object.',
    cure: 'Ask whoever put it on to take it off; only if that is gone for good, remove it with kubectl edit.',
    seen: ['cli'],
  },
  EvictionRefused: {
    cause: 'A PodDisruptionBudget does not allow an eviction now.',
    cure: 'Wait, or relax the budget.',
    more: '`spec.terminationGracePeriod` of the claim limits how long a drain may take.',
    seen: ['event'],
  },
  BudgetsOverlap: {
    cause: 'More than one PodDisruptionBudget covers a pod, so it can never be evicted.',
    cure: 'Make their selectors disjoint.',
    seen: ['event'],
  },
  DrainFailed: {
    cause: 'The API server refuses what the drain needs: to show the Node, to taint it, or to list its pods.',
    cure: lookAtRights,
    seen: ['event'],
  },
  EvictionFailed: {
    cause: 'The API server failed to evict a pod.',
    cure: 'Read the message; it is tried again.',
    seen: ['event'],
  },
  PodsNotToBeDisrupted: {
    cause: 'Pods ask not to be disrupted, and are waited for.',
    cure: 'End them, or set a termination grace period.',
    seen: ['event'],
  },
  AwaitingVolumeDetachment: {
    cause: 'Volumes are still attached to the node.',
    cure: 'If it lasts, look at the CSI driver.',
    seen: ['condition', 'event'],
  },
  TerminationGracePeriodExpiring: {
    cause: 'The termination grace period is nearly over; pods are deleted without regard to budgets.',
    cure: byItself,
    seen: ['event'],
  },
  TerminationGracePeriodElapsed: {
    cause: 'The termination grace period is over; what was left of the drain was skipped.',
    cure: byItself,
    seen: ['condition', 'event'],
  },
  DeleteRefused: {
    cause: 'The cloud refuses to delete the machine.',
    cure: 'Read the message; it is tried for ever, because giving up would cost money.',
    seen: ['condition', 'event'],
  },
  NodeNotDeleted: {
    cause: 'The machine is gone, but the API server refuses to let its Node go.',
    cure: lookAtRights,
    seen: ['condition', 'event'],
  },
  ForeignInstance: {
    cause: 'A claim was launched by somebody else, and its machine is not ours.',
    cure: 'Leave it to them; if they are gone, run `poolwright adopt claim/<name>`, or delete the claim and remove its finalizer.',
    seen: ['event', 'log'],
  },
  NotAdopted: {
    cause:
      'The claim and its machine do not fit together so that the machine could be made ours, or there is nothing to adopt.',
    cure: 'Read the message; nothing was changed unless it says so.',
    more:
      '`poolwright adopt` makes a machine ours only where everything says that it was made for this very claim, and nobody has it. ' +
      'A record that cannot be read is written anew only from exactly one machine.',
    seen: ['http'],
    cureInMessage: true,
  },
  GarbageStopped: {
    cause: 'More machines have no claim than may be deleted at once, so garbage collection stopped.',
    cure: "Make sure that they are nobody's; then raise `garbageCollection.maxDeletesAtLeast` for one run.",
    more: 'Typical causes: the cluster was restored from a backup, or somebody deleted many claims by force.',
    seen: ['log'],
  },
} as const satisfies ErrorGroup;
