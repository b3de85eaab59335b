/** Why a machine that was bought is not a node that is ready for work. */
import { byItself, type ErrorGroup } from './entry.ts';

export const joining = {
  NodeNotFound: {
    cause: 'The instance is running, but the cluster has no Node with its providerID.',
    cure: 'Wait for its kubelet to register. If it does not, check the instance: network, image, join token.',
    seen: ['condition'],
  },
  MultipleNodesFound: {
    cause: 'Two Nodes have the same providerID; the host ignores the second one.',
    cure: 'Find the kubelet with the wrong providerID, and delete its Node.',
    seen: ['condition', 'event'],
  },
  NodeOfAnotherClaim: {
    cause: 'The Node that joined is owned by another NodeClaim; the host does not change it.',
    cure: 'Check both claims. The host deletes the instance of this one after the registration deadline.',
    seen: ['condition'],
  },
  NodeNotUsable: {
    cause: 'The API server does not allow the host to read or label the Node.',
    cure: "Check the provisioner's RBAC permissions and admission policies; the message quotes the API server.",
    seen: ['condition'],
  },
  NodeNotReady: {
    cause: 'The kubelet reports that its Node is not ready.',
    cure: 'Wait a moment. If the Node stays NotReady, check the network plugin and the kubelet; the message quotes the kubelet.',
    seen: ['condition'],
  },
  StartupTaintsExist: {
    cause: 'The Node still has a startup taint.',
    cure: 'Check the DaemonSet or controller that is responsible for removing the taint.',
    seen: ['condition'],
  },
  KnownEphemeralTaintsExist: {
    cause: 'The Node still has a taint that Kubernetes sets on new Nodes.',
    cure: 'Wait a moment. If the taint stays, check the cloud controller manager and the network plugin.',
    seen: ['condition'],
  },
  ResourceNotRegistered: {
    cause: 'The Node does not report a resource that the claim requests.',
    cure: "Check the device plugin for that resource, such as the GPU's.",
    seen: ['condition'],
  },
  RegistrationTimeout: {
    cause: 'The instance is running, but its Node did not register before the deadline.',
    cure: 'Check the instance: network, image, join token.',
    more: 'The host deletes the instance and tries another one. The deadline is `deadlines.registration` of the provider.',
    seen: ['condition', 'event', 'log'],
  },
  InitializationTimeout: {
    cause: 'The Node registered, but was not initialized before the deadline.',
    cure: 'The message says what was missing.',
    more: 'The host deletes the instance and tries another one. The deadline is `deadlines.initialization` of the provider.',
    seen: ['condition', 'event', 'log'],
  },
  InstanceVanished: {
    cause: "The claim's instance no longer exists in the cloud.",
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
