/** Why a machine that was bought is not a node that is ready for work. */
import { byItself, type ErrorGroup } from './entry.ts';

export const joining = {
  NodeNotFound: {
    cause: 'The machine runs, and no Node with its providerID is there.',
    cure: 'Wait for its kubelet; if it does not come, look at the machine: network, image, join token.',
    seen: ['condition'],
  },
  MultipleNodesFound: {
    cause: 'Two Nodes say that they are one machine; the second one is left alone.',
    cure: 'Find out which kubelet has the wrong providerID, and delete its Node.',
    seen: ['condition', 'event'],
  },
  NodeOfAnotherClaim: {
    cause: 'The Node that joined has another NodeClaim as its owner; it is not touched.',
    cure: 'Look at both claims; the machine of this one is given up after the registration deadline.',
    seen: ['condition'],
  },
  NodeNotUsable: {
    cause: 'The API server refuses to show the Node or to label it.',
    cure: 'Look at the rights of the provisioner and at admission policies; the message has the words of the API server.',
    seen: ['condition'],
  },
  NodeNotReady: {
    cause: 'The kubelet says that its Node is not ready.',
    cure: 'Usually it becomes ready in a moment; else look at the network plugin and at the kubelet. The message has its words.',
    seen: ['condition'],
  },
  StartupTaintsExist: {
    cause: 'A startup taint is still on the Node.',
    cure: 'Whoever the taint waits for has to take it away: look at that DaemonSet or controller.',
    seen: ['condition'],
  },
  KnownEphemeralTaintsExist: {
    cause: 'A taint that Kubernetes itself puts on a new Node is still there.',
    cure: 'Usually it goes in a moment; else look at the cloud controller manager and at the network plugin.',
    seen: ['condition'],
  },
  ResourceNotRegistered: {
    cause: 'The Node does not offer a resource that the claim asks for.',
    cure: 'Look at the device plugin for that resource, such as that of the GPU.',
    seen: ['condition'],
  },
  RegistrationTimeout: {
    cause: 'The machine runs, but its Node did not come within the deadline.',
    cure: 'Look at the machine: network, image, join token.',
    more: 'The machine is given up and another one is tried. The deadline is `deadlines.registration` of the provider.',
    seen: ['condition', 'event', 'log'],
  },
  InitializationTimeout: {
    cause: 'The Node came, but did not become ready for work within the deadline.',
    cure: 'The message says what it lacked.',
    more: 'The machine is given up and another one is tried. The deadline is `deadlines.initialization` of the provider.',
    seen: ['condition', 'event', 'log'],
  },
  InstanceVanished: {
    cause: 'The machine of the claim is gone at the cloud.',
    cure: byItself,
    seen: ['condition', 'event', 'log'],
  },
  UnhealthyDependents: {
    cause: 'A condition that Ready depends on is False.',
    cure: 'Read the condition that the message names.',
    seen: ['condition'],
    about: 'NodeClaim, NodePool',
  },
} as const satisfies ErrorGroup;
