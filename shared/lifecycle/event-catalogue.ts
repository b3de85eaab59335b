/**
 * Every Kubernetes Event that we write, by its reason. People filter and alert on reasons, so one is never renamed or reused;
 * a new Event is a new entry here, and `docs/events.md` is made from this list.
 *
 * An Event costs the API server a write. An ordinary life has one, `Ready`: what happens on the way stands in the conditions,
 * with times. All others are about something that a person may want to know or has to do.
 */
export interface EventEntry {
  readonly type: 'Normal' | 'Warning' | 'Normal or Warning';
  /** The kinds of object under which `kubectl describe` shows it. */
  readonly about: string;
  readonly meaning: string;
  readonly todo: string;
}

const claim = 'NodeClaim';
const pool = 'NodePool';

const warning = (meaning: string, todo: string, about = claim): EventEntry => ({
  type: 'Warning',
  about,
  meaning,
  todo,
});
const normal = (meaning: string, todo = '', about = claim): EventEntry => ({ type: 'Normal', about, meaning, todo });

const wait = 'nothing: it goes on by itself';

export const eventCatalogue: Readonly<Record<string, EventEntry>> = {
  // On the way up.
  Ready: normal('the node of the claim is ready for work; once in the life of a node'),
  TakenOver: normal('what another provisioner had made for the claim is served from here now, as it is'),
  NodeRestored: normal(
    'the Node of a Ready claim had lost its labels, owner or finalizer, usually because its kubelet made it anew; it has them again',
  ),
  MultipleNodesFound: warning(
    'two Nodes say that they are one machine; the second one is left alone',
    'find out which kubelet has the wrong providerID, and delete its Node',
  ),
  InstanceVanished: warning('the machine of the claim is gone at the cloud', wait),

  // What can't be had. The claim is tried again with growing pauses; one that a NodePool owns is deleted.
  InsufficientCapacity: warning('every offering that fits is sold out', 'wait, or allow more types, zones or spot'),
  QuotaExceeded: warning(
    'the account may have no more of anything that fits; the message has the numbers',
    'ask the cloud for a higher quota, or allow other types',
  ),
  NoInstanceTypeFits: warning(
    'no instance type satisfies the claim; the message says which wish excludes how many',
    'change the claim',
  ),
  InvalidClaim: warning('a field of the claim cannot be used', 'change the claim as the message says'),
  InvalidNodeClass: warning('a field of the node class cannot be used', 'change the node class as the message says'),
  InvalidConfiguration: warning(
    'the cloud refuses what the claim, the node class or the configuration of the provider says',
    'change what the message names',
  ),
  NameTaken: warning(
    "something that is not this claim's has its name at the cloud; it is never changed, and waited for",
    'take it away, or give the claim another name',
  ),
  DependencyNotFound: warning(
    'something that the node class names does not exist at the cloud',
    'create it, or change the node class',
  ),
  Unauthorised: warning('the credentials of the provider do not suffice', 'repair them'),
  LaunchTimeout: warning(
    'the cloud says "being created" for longer than the launch deadline',
    'look at the cloud, or raise the deadline',
  ),
  RegistrationTimeout: warning(
    'the machine runs, but its Node did not come within the deadline',
    'look at the machine: network, image, join token',
  ),
  InitializationTimeout: warning(
    'the Node came, but did not become ready for work within the deadline',
    'the message says what it lacked',
  ),
  NodeClassNotReady: warning(
    'the node class is not ready, so nothing is made with it',
    'read the conditions of the node class',
    `${claim}, ${pool}, node class`,
  ),

  // What stands still on purpose.
  AttemptUnreadable: warning(
    'the record of what was bought for this claim cannot be read, so nothing more is bought',
    'restore the annotation, or delete the claim',
  ),
  ClaimNotWritable: warning(
    'the API server refuses every write to this claim',
    'look at admission policies and at the stored object',
  ),
  ProviderNotConfigured: warning(
    'the provider that has the machine of this claim, or would make it, is no longer in the configuration, or points to another place',
    'add it again, or point it back; for a machine that is gone for good, remove the finalizer of the claim',
  ),
  ForeignInstance: warning(
    'a claim was launched by somebody else, and its machine is not ours',
    'leave it to them; if nobody else serves it, delete the claim and remove its finalizer',
  ),
  SetAside: warning(
    'a step of this claim kept killing the host and is left alone for a while',
    'find out why the host died, then retry the workflow',
  ),
  NotOwner: warning(
    'another deployment acts on this cluster; this one only reads',
    'stop one of the two',
    `${claim}, Lease`,
  ),
  RivalProvisioner: warning(
    'another provisioner manages the same claims; this deployment only reads',
    'stop one of the two',
    `${claim}, Lease`,
  ),
  ClusterNotUsable: warning(
    'the cluster lacks definitions, rights or an identity of its own',
    'the message says what; add it',
    `${claim}, Lease`,
  ),
  OwnerUnknown: warning(
    'nobody could tell who acts on this cluster, because the API server did not answer',
    wait,
    `${claim}, Lease`,
  ),
  Owner: normal('this deployment acts on the cluster from now on', '', 'Lease'),

  // On the way down.
  Draining: normal('pods are being evicted; the message says how many are left and what holds them'),
  EvictionRefused: warning('a PodDisruptionBudget does not allow an eviction now', 'wait, or relax the budget'),
  BudgetsOverlap: warning(
    'more than one PodDisruptionBudget covers a pod, so it can never be evicted',
    'make their selectors disjoint',
  ),
  DrainFailed: warning(
    'the API server refuses what the drain needs: to show the Node, to taint it, or to list its pods',
    'look at the rights of the provisioner and at admission policies; it is tried again',
  ),
  EvictionFailed: warning('the API server failed to evict a pod', 'read the message; it is tried again'),
  PodsNotToBeDisrupted: normal(
    'pods ask not to be disrupted, and are waited for',
    'end them, or set a termination grace period',
  ),
  AwaitingVolumeDetachment: {
    type: 'Normal or Warning',
    about: claim,
    meaning: 'volumes are still attached to the node',
    todo: 'if it lasts, look at the CSI driver',
  },
  TerminationGracePeriodExpiring: warning(
    'the termination grace period is nearly over; pods are deleted without regard to budgets',
    wait,
  ),
  TerminationGracePeriodElapsed: warning(
    'the termination grace period is over; what was left of the drain was skipped',
    wait,
  ),
  DeleteRefused: warning(
    'the cloud refuses to delete the machine',
    'read the message; it is tried for ever, because giving up would cost money',
  ),

  NodeNotDeleted: warning(
    'the machine is gone, but the API server refuses to let its Node go',
    'look at the rights of the provisioner and at admission policies; it is tried again',
  ),

  // NodePools with replicas, and the end of claims.
  ScaledUp: normal('claims were made to reach the number of replicas', '', pool),
  Replacing: normal('claims were made in place of others', '', pool),
  ScaledDown: normal('the claim is deleted because the NodePool has fewer replicas'),
  NodePoolDrifted: normal('the claim is replaced because the template of its NodePool has changed'),
  RequirementsDrifted: normal(
    'the claim is replaced because its node no longer meets the requirements of the NodePool',
  ),
  NodeClassDrifted: normal('the claim is replaced because its node class has changed'),
  Expired: normal('the claim is deleted because its time is over (`expireAfter`)'),
  PoolDeleted: normal('the claim is deleted because its NodePool is'),
  NodeLimitReached: normal(
    'the NodePool would make more claims, but `limits.nodes` is reached',
    'raise the limit, or lower the replicas',
    pool,
  ),
  DisruptionBlocked: normal(
    'claims are due to be replaced, but the disruption budgets do not allow it now',
    wait,
    pool,
  ),
  ClaimNotMade: warning(
    'the API server refuses a claim of this NodePool',
    'change the template as the message says',
    pool,
  ),
  RegistrationFailed: warning(
    'claims of this NodePool were made more than once in a row, and none became a node',
    'the message says why the last one failed; it is tried again with growing pauses',
    pool,
  ),
  NodePoolValidationFailed: warning('a field of the NodePool cannot be used', 'change it as the message says', pool),
  NodeClassNotFound: warning('the node class that the NodePool names does not exist', 'create it', pool),
  NodeClassReady: normal('claims can be made with this node class again', '', 'node class'),
};
