/** What is wrong between the provisioner and a cluster. */
import { byItself, type ErrorGroup } from './entry.ts';

const lease = 'NodeClaim, Lease';

export const cluster = {
  NotOwner: {
    cause: 'Another deployment acts on this cluster; this one only reads.',
    cure: 'Stop one of the two.',
    more: 'Both would buy machines for the same claims. Who acts is said by a Lease: [one owner](../ownership.md).',
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  RivalProvisioner: {
    cause: 'Another provisioner manages the same claims; this deployment only reads.',
    cure: 'Stop one of the two.',
    more: 'How it is found out, and how to move from one to the other: [one owner](../ownership.md).',
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  ClusterNotUsable: {
    cause: 'The cluster lacks definitions, rights or an identity of its own.',
    cure: 'The message says what; add it.',
    more: '`poolwright crds install` adds the definitions; the rights are [listed](../rights.md) and part of the Helm chart.',
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  OwnerUnknown: {
    cause: 'Nobody could tell who acts on this cluster, because the API server did not answer.',
    cure: byItself,
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  AttemptUnreadable: {
    cause: 'The record of what was bought for this claim cannot be read, so nothing more is bought.',
    cure: 'Run `poolwright adopt claim/<name>`, restore the annotation, or delete the claim.',
    seen: ['condition', 'event', 'log'],
  },
  ClaimNotWritable: {
    cause: 'The API server refuses every write to this claim.',
    cure: 'Look at admission policies and at the stored object.',
    seen: ['event', 'log'],
  },
  ProviderNotConfigured: {
    cause:
      'The provider that has the machine of this claim, or would make it, is no longer in the configuration, or points to another place.',
    cure: 'Add it again, or point it back; for a machine that is gone for good, remove the finalizer of the claim.',
    seen: ['condition', 'event'],
  },
  NoClusterAccess: {
    cause: 'There is no way to the cluster: no kubeconfig, or one whose credentials cannot be used.',
    cure: 'Name a kubeconfig with --kubeconfig and a context with --context; try it with kubectl first.',
    seen: ['cli', 'log'],
    cureInMessage: true,
  },
  NotAllowed: {
    cause: 'The cluster knows who you are, and does not let you see or change this.',
    cure: 'Ask for the right that the message names, or use another user with --context.',
    seen: ['cli'],
    cureInMessage: true,
  },
  NotSeenYet: {
    cause:
      'Nobody has said anything about this claim: no provisioner has looked at it yet, or none serves its node class.',
    cure: 'Wait a moment; then look whether the host runs and serves this cluster (`poolwright clusters`) and the node class of the claim (`poolwright explain`).',
    seen: ['cli'],
  },
  ClusterUnavailable: {
    cause: 'The API server of the cluster does not answer, or refuses.',
    cure: 'Look at the cluster, at the network on the way, and at the credentials; it is tried again.',
    seen: ['http', 'log', 'cli', 'check'],
  },
  ClusterTwice: {
    cause: 'Two names of the configuration mean one cluster; the second is not served.',
    cure: 'Take one of them out of the configuration.',
    seen: ['log'],
  },
  TlsUnverified: {
    cause:
      'The certificate of the cluster is not checked, as the configuration says: somebody on the way could pose as the cluster and read the token.',
    cure: 'Name its `certificateAuthority`, and take `insecureSkipTlsVerify` away.',
    seen: ['log'],
  },
  ClusterLimited: {
    cause: 'Something does not work in the cluster, while the rest does.',
    cure: 'The message says what is missing; add it.',
    seen: ['log'],
  },
  ClusterSettingsUnusable: {
    cause: 'The settings that the Helm chart wrote into the cluster cannot be used; those before stay in use.',
    cure: 'Change the values of the chart as the message says.',
    seen: ['log'],
  },
} as const satisfies ErrorGroup;
