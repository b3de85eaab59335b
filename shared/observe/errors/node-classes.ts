/** Why nothing can be made with a node class. */
import type { ErrorGroup } from './entry.ts';

const about = 'node class';

export const nodeClasses = {
  NodeClassNotFound: {
    cause: 'The node class that the claim or NodePool refers to does not exist.',
    cure: 'Create it, or correct `nodeClassRef`. The claim then continues automatically.',
    seen: ['condition', 'event'],
    about: 'NodeClaim, NodePool',
  },
  NodeClassNotReady: {
    cause: 'The node class is not ready, so the host creates nothing with it.',
    cure: 'Check the conditions of the node class.',
    seen: ['condition', 'event', 'http'],
    about: 'NodeClaim, NodePool, node class',
  },
  NodeClassUnreadable: {
    cause: 'The host could not read the node class from the cluster.',
    cure: "The host retries. If it persists, check the provisioner's RBAC permissions.",
    seen: ['condition'],
    about: 'NodePool',
  },
  InvalidSpec: {
    cause: 'The node class has an invalid field.',
    cure: 'Correct the field that the message names.',
    seen: ['condition'],
    about,
  },
  NotReady: {
    cause: 'The provider reports that the node class is not ready.',
    cure: 'Read the message. The provider checks again automatically.',
    seen: ['condition'],
    about,
  },
  NothingSelected: {
    cause: "The node class's selectors leave no instance type in any zone.",
    cure: 'Broaden its selectors.',
    seen: ['condition'],
    about,
  },
  ZonesNotFound: {
    cause: 'The node class names zones that the cloud does not have.',
    cure: 'Use other zones; the message lists the available ones.',
    seen: ['condition'],
    about,
  },
  InstanceTypesNotFound: {
    cause: 'The node class names instance types that the cloud does not have.',
    cure: 'Use other instance types; the message has the closest names.',
    seen: ['condition'],
    about,
  },
  SubnetsNotFound: {
    cause: 'No subnet matches the selector terms of the node class.',
    cure: 'Tag a subnet, or change `subnetSelectorTerms`.',
    seen: ['condition'],
    about,
  },
  SecurityGroupsNotFound: {
    cause: 'No security group matches the selector terms of the node class.',
    cure: 'Tag a group, or change `securityGroupSelectorTerms`.',
    seen: ['condition'],
    about,
  },
  AMINotFound: {
    cause: 'No image in this region matches the selector terms of the node class.',
    cure: 'Change `amiSelectorTerms` as the message suggests.',
    seen: ['condition'],
    about,
  },
  InstanceProfileNotFound: {
    cause: 'The instance profile or role of the node class does not exist or is unusable.',
    cure: 'Create it, or change `instanceProfile` or `role`.',
    seen: ['condition'],
    about,
  },
  PlacementGroupNotFound: {
    cause: 'The placement group of the node class does not exist.',
    cure: 'Create it, or change the node class.',
    seen: ['condition'],
    about,
  },
  UserDataInvalid: {
    cause: 'The user data of the node class cannot be merged with the bootstrap data that the instance needs to join.',
    cure: 'Change `userData` as the message says.',
    seen: ['condition'],
    about,
  },
} as const satisfies ErrorGroup;
