/**
 * Every Kubernetes Event that we write, by its reason. People filter and alert on reasons, so one is never renamed or reused;
 * a new Event is a new entry here, and `docs/events.md` is made from this list. What an Event warns of is an error with that code, so its texts
 * come from the catalog of errors.
 *
 * An Event costs the API server a write. An ordinary life has one, `Ready`: what happens on the way stands in the conditions,
 * with times. All others are about something that a person may want to know or has to do.
 */
import { type ErrorCode, errors } from '../../../observe/errors/catalog.ts';

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

export const eventCatalog: Readonly<Record<string, EventEntry>> = {
  // On the way up.
  Ready: normal('The node of the claim is ready; written once per node.'),
  TakenOver: normal(
    'This deployment took over the instance that another provisioner had created for the claim, unchanged.',
  ),
  NodeRestored: normal(
    'The Node of a Ready claim had lost its labels, owner or finalizer, usually because its kubelet registered it again; the host restored them.',
  ),
  ...warnings('MultipleNodesFound', 'InstanceVanished'),

  // What the cloud announces about machines.
  ...warnings('SpotInterrupted'),
  SpotRebalanceRecommendation: {
    type: 'Normal',
    about: both,
    meaning: 'The cloud expects to reclaim the spot instance soon; the host replaces it if the NodePool asks for that.',
    todo: 'None needed. To replace such nodes early, annotate the NodePool with `poolwright.dev/rebalance: replace`.',
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
    'Unauthorized',
    'LaunchTimeout',
    'RegistrationTimeout',
    'InitializationTimeout',
    'NodeClassNotReady',
  ),

  // What somebody has to mend at a cloud or a node class, where the provider knows it by name.
  ...warnings(
    'CloudStackCredentialsInvalid',
    'CloudStackClockSkew',
    'CloudStackCommandNotAllowed',
    'CloudStackAccountNotAllowed',
    'CloudStackSecondFactorRequired',
    'CloudStackTlsNotTrusted',
    'NotCloudStack',
    'ProjectNotFound',
    'DomainNotFound',
    'ZonesNotFound',
    'ZoneDisabled',
    'NetworksNotFound',
    'NetworkNotUsable',
    'ServiceOfferingsNotFound',
    'OfferingNeedsSize',
    'OfferingTemplateMismatch',
    'TemplatesNotFound',
    'TemplateNotReady',
    'DiskOfferingNotFound',
    'SecurityGroupsNotFound',
    'KeyPairNotFound',
    'AffinityGroupsNotFound',
    'UserDataTooLong',
    'NotAProviderServer',
    'ProviderTlsRefused',
    'ProviderCapabilityMissing',
    'ProviderServerNotFound',
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
  Owner: normal('This deployment now manages the cluster.', 'Lease'),

  // On the way down.
  Draining: normal('The host is evicting pods; the message says how many are left and what blocks them.'),
  ...warnings('EvictionRefused', 'BudgetsOverlap', 'DrainFailed', 'EvictionFailed'),
  ...explained('PodsNotToBeDisrupted', 'Normal'),
  ...explained('AwaitingVolumeDetachment', 'Normal or Warning'),
  ...warnings('TerminationGracePeriodExpiring', 'TerminationGracePeriodElapsed', 'DeleteRefused', 'NodeNotDeleted'),

  // NodePools with replicas, and the end of claims.
  ScaledUp: normal('The host created claims to reach the number of replicas.', pool),
  Replacing: normal('The host created claims to replace others.', pool),
  ScaledDown: normal('The host deletes the claim because the NodePool has fewer replicas.'),
  NodePoolDrifted: normal('The host replaces the claim because the template of its NodePool has changed.'),
  RequirementsDrifted: normal(
    'The host replaces the claim because its node no longer meets the requirements of the NodePool.',
  ),
  NodeClassDrifted: normal('The host replaces the claim because its node class has changed.'),
  InstanceDrifted: normal('The host replaces the claim because a user changed its instance at the cloud.'),
  Expired: normal('The host deletes the claim because it has expired (`expireAfter`).'),
  PoolDeleted: normal('The host deletes the claim because its NodePool was deleted.'),
  ...explained('NodeLimitReached', 'Normal'),
  ...explained('DisruptionBlocked', 'Normal'),
  ...warnings('ClaimNotMade', 'RegistrationFailed', 'NodePoolValidationFailed'),
  ...explained('NodeClassNotFound', 'Warning', pool),
  NodeClassReady: normal('The node class is ready again for new claims.', 'node class'),
};
