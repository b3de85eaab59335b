/** Why nothing can be made with a node class. */
import type { ErrorGroup } from './entry.ts';

const about = 'node class';

export const nodeClasses = {
  NodeClassNotFound: {
    cause: 'The node class that the claim or NodePool names does not exist.',
    cure: 'Create it, or correct `nodeClassRef`; the claim goes on by itself.',
    seen: ['condition', 'event'],
    about: 'NodeClaim, NodePool',
  },
  NodeClassNotReady: {
    cause: 'The node class is not ready, so nothing is made with it.',
    cure: 'Read the conditions of the node class.',
    seen: ['condition', 'event', 'http'],
    about: 'NodeClaim, NodePool, node class',
  },
  NodeClassUnreadable: {
    cause: 'The node class could not be read from the cluster.',
    cure: 'It is tried again; if it lasts, look at the rights of the provisioner.',
    seen: ['condition'],
    about: 'NodePool',
  },
  InvalidSpec: {
    cause: 'A field of the node class cannot be used.',
    cure: 'Change it as the message says.',
    seen: ['condition'],
    about,
  },
  NotReady: {
    cause: 'The provider says that the node class is not ready.',
    cure: 'Read the message; the provider looks again by itself.',
    seen: ['condition'],
    about,
  },
  NothingSelected: {
    cause: 'No instance type in no zone is left of what the node class selects.',
    cure: 'Let its selectors match more.',
    seen: ['condition'],
    about,
  },
  ZonesNotFound: {
    cause: 'The node class names zones that the cloud does not have.',
    cure: 'Name others; the message lists what is there.',
    seen: ['condition'],
    about,
  },
  InstanceTypesNotFound: {
    cause: 'The node class names instance types that the cloud does not have.',
    cure: 'Name others; the message has the nearest.',
    seen: ['condition'],
    about,
  },
  SubnetsNotFound: {
    cause: 'No subnet matches the terms of the node class.',
    cure: 'Tag a subnet, or change `subnetSelectorTerms`.',
    seen: ['condition'],
    about,
  },
  SecurityGroupsNotFound: {
    cause: 'No security group matches the terms of the node class.',
    cure: 'Tag a group, or change `securityGroupSelectorTerms`.',
    seen: ['condition'],
    about,
  },
  AMINotFound: {
    cause: 'No image matches the terms of the node class in this region.',
    cure: 'Change `amiSelectorTerms`, as the message hints.',
    seen: ['condition'],
    about,
  },
  InstanceProfileNotFound: {
    cause: 'The instance profile or role that the node class names does not exist or cannot be used.',
    cure: 'Create it, or change `instanceProfile` or `role`.',
    seen: ['condition'],
    about,
  },
  PlacementGroupNotFound: {
    cause: 'The placement group that the node class names does not exist.',
    cure: 'Create it, or change the node class.',
    seen: ['condition'],
    about,
  },
  UserDataInvalid: {
    cause: 'The user data of the node class cannot be merged with what the machine needs to join.',
    cure: 'Change `userData` as the message says.',
    seen: ['condition'],
    about,
  },
} as const satisfies ErrorGroup;
