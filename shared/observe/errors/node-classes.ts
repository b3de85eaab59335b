/** Why nothing can be made with a node class. */
import type { ErrorGroup } from './entry.ts';

const about = 'node class';
const claimAndClass = 'NodeClaim, node class';

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
    seen: ['condition', 'event'],
    about: claimAndClass,
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
    seen: ['condition', 'event'],
    about: claimAndClass,
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
  NotChecked: {
    cause: 'This part of the node class is checked when the parts that it depends on are found.',
    cure: 'Check the other conditions of the node class.',
    seen: ['condition'],
    about,
  },
  ZoneDisabled: {
    cause: 'All zones of the node class are disabled in CloudStack.',
    cure: 'Enable one of them, or use another zone.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  NetworksNotFound: {
    cause: 'No network in the zones of the node class matches its selector terms.',
    cure: 'Tag a network, or change `networkSelectorTerms`; the message names the nearest network.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  NetworkNotUsable: {
    cause: 'The networks that the node class selects cannot be used to deploy instances.',
    cure: 'Select another network, or make it usable in CloudStack.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  ServiceOfferingsNotFound: {
    cause: 'No active service offering in the zones of the node class matches its selector terms.',
    cure: 'Change `serviceOfferingSelectorTerms`; the message names the nearest offering.',
    more: 'CloudStack keeps no tags on offerings, so a term with `tags` matches details, host tags and storage tags.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  OfferingNeedsSize: {
    cause: 'The node class selects only customised offerings, and has no size within their limits.',
    cure: 'Add sizes to `details` of the node class.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  OfferingTemplateMismatch: {
    cause:
      'No offering that the node class selects fits its templates: architecture, hypervisor, GPU or root disk differ.',
    cure: 'Select other offerings, or another template.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  TemplatesNotFound: {
    cause: 'No template in the zones of the node class matches its selector terms.',
    cure: 'Change `templateSelectorTerms`, or copy the template to the zone; the message names the nearest template.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  TemplateNotReady: {
    cause: 'The template that the node class selects is not ready in its zones.',
    cure: 'Wait until CloudStack has copied it there, or select another template.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  DiskOfferingNotFound: {
    cause: 'The disk offering of the node class does not exist, or leaves a size open that the class does not give.',
    cure: 'Correct `diskOffering` or `dataVolumes`.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  KeyPairNotFound: {
    cause: 'The SSH key pair of the node class does not exist.',
    cure: 'Create it, or correct `sshKeyPair`.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  AffinityGroupsNotFound: {
    cause: 'An affinity group of the node class does not exist.',
    cure: 'Create it, or correct `affinity.groups`.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
  UserDataTooLong: {
    cause: 'The user data of the node class is longer than the cloud accepts.',
    cure: 'Move what is long into the image, or fetch it when the machine starts.',
    seen: ['condition', 'event'],
    about: claimAndClass,
  },
} as const satisfies ErrorGroup;
