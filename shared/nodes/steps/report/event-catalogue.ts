/**
 * Every Kubernetes Event that we write, by its reason. People filter and alert on reasons, so one is never renamed or reused;
 * a new Event is a new entry here, and `docs/events.md` is made from this list. What an Event warns of is an error with that code, so its texts
 * come from the catalogue of errors.
 *
 * An Event costs the API server a write. An ordinary life has one, `Ready`: what happens on the way stands in the conditions,
 * with times. All others are about something that a person may want to know or has to do.
 */
import { type ErrorCode, errors } from '../../../observe/errors/catalogue.ts';

export interface EventEntry {
  readonly type: 'Normal' | 'Warning' | 'Normal or Warning';
  /** The kinds of object under which `kubectl describe` shows it. */
  readonly about: string;
  readonly meaning: string;
  readonly todo: string;
}

const claim = 'NodeClaim';
const pool = 'NodePool';
const both = `${claim}, Node`;

const explained = (code: ErrorCode, type: EventEntry['type'], about?: string): Record<string, EventEntry> => {
  const { cause, cure, about: owner = claim } = errors[code];
  return { [code]: { type, about: about ?? owner, meaning: cause, todo: cure } };
};
const warnings = (...codes: ErrorCode[]): Record<string, EventEntry> =>
  Object.assign({}, ...codes.map((code) => explained(code, 'Warning')));
const normal = (meaning: string, about = claim): EventEntry => ({ type: 'Normal', about, meaning, todo: '' });

export const eventCatalogue: Readonly<Record<string, EventEntry>> = {
  // On the way up.
  Ready: normal('The node of the claim is ready for work; once in the life of a node.'),
  TakenOver: normal('What another provisioner had made for the claim is served from here now, as it is.'),
  NodeRestored: normal(
    'The Node of a Ready claim had lost its labels, owner or finalizer, usually because its kubelet made it anew; it has them again.',
  ),
  ...warnings('MultipleNodesFound', 'InstanceVanished'),

  // What the cloud announces about machines.
  ...warnings('SpotInterrupted'),
  SpotRebalanceRecommendation: {
    type: 'Normal',
    about: both,
    meaning: 'The cloud says that the spot machine is likely to be taken back; it is replaced where that is asked for.',
    todo: 'Nothing, or annotate the NodePool with `poolwright.dev/rebalance: replace`.',
  },
  ...warnings('InstanceStopping', 'InstanceTerminating', 'InstanceUnhealthy', 'CapacityReservationInterrupted'),

  // What can't be had. The claim is tried again with growing pauses; one that a NodePool owns is deleted.
  ...warnings(
    'InsufficientCapacity',
    'QuotaExceeded',
    'NoInstanceTypeFits',
    'InvalidClaim',
    'InvalidNodeClass',
    'InvalidConfiguration',
    'NameTaken',
    'DependencyNotFound',
    'Unauthorised',
    'LaunchTimeout',
    'RegistrationTimeout',
    'InitializationTimeout',
    'NodeClassNotReady',
  ),

  // What stands still on purpose.
  ...warnings(
    'AttemptUnreadable',
    'ClaimNotWritable',
    'ProviderNotConfigured',
    'ForeignInstance',
    'SetAside',
    'NotOwner',
    'RivalProvisioner',
    'ClusterNotUsable',
    'OwnerUnknown',
  ),
  Owner: normal('This deployment acts on the cluster from now on.', 'Lease'),

  // On the way down.
  Draining: normal('Pods are being evicted; the message says how many are left and what holds them.'),
  ...warnings('EvictionRefused', 'BudgetsOverlap', 'DrainFailed', 'EvictionFailed'),
  ...explained('PodsNotToBeDisrupted', 'Normal'),
  ...explained('AwaitingVolumeDetachment', 'Normal or Warning'),
  ...warnings('TerminationGracePeriodExpiring', 'TerminationGracePeriodElapsed', 'DeleteRefused', 'NodeNotDeleted'),

  // NodePools with replicas, and the end of claims.
  ScaledUp: normal('Claims were made to reach the number of replicas.', pool),
  Replacing: normal('Claims were made in place of others.', pool),
  ScaledDown: normal('The claim is deleted because the NodePool has fewer replicas.'),
  NodePoolDrifted: normal('The claim is replaced because the template of its NodePool has changed.'),
  RequirementsDrifted: normal(
    'The claim is replaced because its node no longer meets the requirements of the NodePool.',
  ),
  NodeClassDrifted: normal('The claim is replaced because its node class has changed.'),
  Expired: normal('The claim is deleted because its time is over (`expireAfter`).'),
  PoolDeleted: normal('The claim is deleted because its NodePool is.'),
  ...explained('NodeLimitReached', 'Normal'),
  ...explained('DisruptionBlocked', 'Normal'),
  ...warnings('ClaimNotMade', 'RegistrationFailed', 'NodePoolValidationFailed'),
  ...explained('NodeClassNotFound', 'Warning', pool),
  NodeClassReady: normal('Claims can be made with this node class again.', 'node class'),
};
