/** Why no machine is bought for a claim, or not yet. */
import { byItself, type ErrorGroup } from './entry.ts';

export const buying = {
  InsufficientCapacity: {
    cause: 'Every offering that fits the claim, up to its price ceiling, is out of capacity.',
    cure: 'Wait, or allow more instance types, zones or capacity types.',
    more: 'When the cloud refuses an offering, all claims skip it for a few minutes. `poolwright offerings unavailable` lists these offerings. Offerings over the price ceiling (`offerings.maxPriceRatio` in the configuration) are not tried. A standalone claim is retried with increasing delays. A claim that a NodePool owns is deleted, so that its owner can choose again.',
    seen: ['condition', 'event', 'log'],
    alias: ['InsufficientCapacityError'],
  },
  QuotaExceeded: {
    cause:
      'The account has reached its quota for the offering that the claim would get first, and no other offering that fits is available; the message has the numbers.',
    cure: 'Request a higher quota from the cloud, or allow other instance types.',
    more: 'After the quota is raised, run `poolwright offerings unavailable clear`, so that the next retry of a claim uses these offerings again.',
    seen: ['condition', 'event', 'log'],
  },
  NoInstanceTypeFits: {
    cause:
      'No instance type satisfies the claim; the message says how many types each requirement excludes, and which change comes closest.',
    cure: "Change the claim's requirements, or the template of its NodePool.",
    seen: ['condition', 'event', 'log'],
  },
  InvalidClaim: {
    cause: 'The claim has an invalid field.',
    cure: 'Correct the field that the message names.',
    more: 'The spec of a NodeClaim is immutable: delete the claim and create a new one.',
    seen: ['condition', 'event', 'log'],
  },
  InvalidNodeClass: {
    cause: 'The node class has an invalid field.',
    cure: 'Correct the field that the message names.',
    seen: ['condition', 'event', 'log'],
  },
  NameTaken: {
    cause:
      'A cloud resource that does not belong to this claim already uses its name; the host never changes it, and retries until the name is free.',
    cure: 'Delete that resource, or create the claim under another name.',
    seen: ['condition', 'event'],
  },
  DependencyNotFound: {
    cause: 'A resource that the node class refers to does not exist in the cloud.',
    cure: 'Create it, or change the node class.',
    seen: ['condition', 'event', 'log', 'http'],
  },
  Unauthorized: {
    cause: "The provider's credentials are invalid or lack a permission.",
    cure: "Fix the provider's credentials, or grant the permission that the message names.",
    more: "The provider's page lists the permissions that it needs, and `poolwright doctor` checks them.",
    alias: ['Unauthorised'],
    seen: ['condition', 'event', 'log', 'http'],
  },
  Throttled: {
    cause: 'The cloud throttles API calls.',
    cure: 'None needed: the host retries automatically, and this time does not count against deadlines. If it persists, request a higher rate limit, or find out what else calls the API with the same account.',
    seen: ['condition', 'http'],
  },
  OperationInProgress: {
    cause: 'Another cloud operation has to finish first.',
    cure: 'None needed: the host continues automatically, and this time does not count against deadlines.',
    seen: ['condition', 'http'],
  },
  OutcomeUnknown: {
    cause: 'The response to a create call was lost, so it is not yet known whether the cloud created an instance.',
    cure: byItself,
    more: "The host creates nothing more for the claim until it knows what happened. That takes at most the provider's write timeout, lateness and list lag.",
    seen: ['condition'],
  },
  ProviderUnavailable: {
    cause: 'The cloud does not respond, or responds with a server error.',
    cure: "None needed: the host retries. If it persists, check the cloud's status page and the host's network.",
    seen: ['condition', 'http'],
  },
  InstanceLost: {
    cause: 'The instance disappeared while the cloud was creating it.',
    cure: 'None needed: the host tries the next offering. If it happens again, find out what deletes instances in the cloud account.',
    seen: ['condition', 'log'],
  },
  LaunchTimeout: {
    cause: 'The cloud did not finish creating the instance before the launch deadline; the host discarded the attempt.',
    cure: "Check the instance in the cloud's console, or raise `deadlines.launch` of the provider.",
    seen: ['condition', 'event', 'log'],
  },
  LaunchFailed: {
    cause: 'The launch failed for a reason that has no code of its own; the message has the details.',
    cure: 'Read the message, and run `poolwright explain` to see the steps that led to it.',
    seen: ['condition', 'log'],
  },
  Paused: {
    cause: 'A user paused this cluster or this provider: no new instances and no new clusters are created.',
    cure: 'Run `poolwright resume cluster <name>` or `poolwright resume provider <name>`. If the configuration sets the pause, remove it there.',
    seen: ['condition'],
  },
  WaitingForTurn: {
    cause: 'The cluster has reached its `maxInstances`, or the provider is at its limit of concurrent operations.',
    cure: 'Wait, delete claims, or raise the limit.',
    seen: ['condition'],
  },
} as const satisfies ErrorGroup;
