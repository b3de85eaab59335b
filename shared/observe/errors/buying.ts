/** Why no machine is bought for a claim, or not yet. */
import { byItself, type ErrorGroup } from './entry.ts';

export const buying = {
  InsufficientCapacity: {
    cause: 'Every offering that fits is sold out.',
    cure: 'Wait, or allow more types, zones or spot.',
    more: 'An offering that the cloud refuses is passed over for a while, by every claim. `poolwright offerings unavailable` lists them. A claim of your own is tried again with growing pauses; one that a NodePool owns is deleted, so that its owner can decide again.',
    seen: ['condition', 'event', 'log'],
    alias: ['InsufficientCapacityError'],
  },
  QuotaExceeded: {
    cause: 'The account may have no more of anything that fits; the message has the numbers.',
    cure: 'Ask the cloud for a higher quota, or allow other types.',
    more: 'After the quota was raised, `poolwright offerings unavailable clear` lets the next try of a claim ask for them.',
    seen: ['condition', 'event', 'log'],
  },
  NoInstanceTypeFits: {
    cause: 'No instance type satisfies the claim; the message says which wish excludes how many, and what is nearest.',
    cure: 'Change the claim, or the template of its NodePool.',
    seen: ['condition', 'event', 'log'],
  },
  InvalidClaim: {
    cause: 'A field of the claim cannot be used.',
    cure: 'Change the claim as the message says.',
    more: 'The spec of a NodeClaim is immutable: delete it and make a new one.',
    seen: ['condition', 'event', 'log'],
  },
  InvalidNodeClass: {
    cause: 'A field of the node class cannot be used.',
    cure: 'Change the node class as the message says.',
    seen: ['condition', 'event', 'log'],
  },
  NameTaken: {
    cause: "Something that is not this claim's has its name at the cloud; it is never changed, and waited for.",
    cure: 'Take it away, or give the claim another name.',
    seen: ['condition', 'event'],
  },
  DependencyNotFound: {
    cause: 'Something that the node class names does not exist at the cloud.',
    cure: 'Create it, or change the node class.',
    seen: ['condition', 'event', 'log', 'http'],
  },
  Unauthorised: {
    cause: 'The credentials of the provider do not suffice.',
    cure: 'Repair the credentials of the provider, or give them the right that the message names.',
    more: 'The rights that a provider needs stand on its page, and `poolwright doctor` checks them.',
    seen: ['condition', 'event', 'log', 'http'],
  },
  Throttled: {
    cause: 'The cloud asks to be called less often.',
    cure: 'Nothing: it goes on by itself, and this time does not count against deadlines. If it lasts, ask the cloud for a higher rate, or find out who else calls it with the same account.',
    seen: ['condition', 'http'],
  },
  OperationInProgress: {
    cause: 'Another operation at the cloud has to end first.',
    cure: 'Nothing: it goes on by itself, and this time does not count against deadlines.',
    seen: ['condition', 'http'],
  },
  OutcomeUnknown: {
    cause: 'The answer to a call was lost, so nobody knows yet whether it was carried out.',
    cure: byItself,
    more: "Nothing more is bought for the claim until it is clear what happened. That takes at most the provider's write time, lateness and list lag.",
    seen: ['condition'],
  },
  ProviderUnavailable: {
    cause: 'The cloud does not answer, or answers with an error of its own.',
    cure: 'Nothing: it is tried again. If it lasts, look at the status page of the cloud and at the network of the host.',
    seen: ['condition', 'http'],
  },
  InstanceLost: {
    cause: 'What was being created is no longer there.',
    cure: 'Nothing: the next offering is tried. If it comes again, find out who deletes machines at the cloud.',
    seen: ['condition', 'log'],
  },
  LaunchTimeout: {
    cause: 'The cloud says "being created" for longer than the launch deadline; the attempt was discarded.',
    cure: 'Look at the cloud, or raise the deadline.',
    seen: ['condition', 'event', 'log'],
  },
  LaunchFailed: {
    cause: 'No machine could be had, for a reason that has no name of its own; the message has it.',
    cure: 'Read the message, and `poolwright explain` for the way there.',
    seen: ['condition', 'log'],
  },
  Paused: {
    cause: 'Somebody pulled the brake: nothing new is bought for this cluster, or by this provider.',
    cure: 'Lift it with `poolwright resume cluster <name>` or `poolwright resume provider <name>`; a pause in the configuration is lifted there.',
    seen: ['condition'],
  },
  WaitingForTurn: {
    cause:
      'The cluster has as many instances as it may (`maxInstances`), or the provider works on as many operations as it may.',
    cure: 'Wait, delete claims, or raise the cap.',
    seen: ['condition'],
  },
} as const satisfies ErrorGroup;
