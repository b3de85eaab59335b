/** What is wrong between the provisioner and a cluster. */
import { byItself, type ErrorGroup } from './entry.ts';

const lease = 'NodeClaim, Lease';

export const cluster = {
  NotOwner: {
    cause: 'Another deployment manages this cluster; this one is read-only.',
    cure: 'Stop one of the two.',
    more: 'Otherwise both would create instances for the same claims. A Lease records which deployment acts: [one owner](../ownership.md).',
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  RivalProvisioner: {
    cause: 'Another provisioner manages the same claims; this deployment is read-only.',
    cure: 'Stop one of the two.',
    more: 'How Poolwright detects it, and how to move from one provisioner to the other: [one owner](../ownership.md).',
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  ClusterNotUsable: {
    cause: 'The cluster lacks CRDs, RBAC permissions or a unique identity.',
    cure: 'Add what the message names.',
    more: '`poolwright crds install` installs the CRDs. The permissions are [listed](../rights.md) and part of the Helm chart.',
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  OwnerUnknown: {
    cause:
      'The host could not determine which deployment manages this cluster, because the API server did not respond.',
    cure: byItself,
    seen: ['condition', 'event', 'log'],
    about: lease,
  },
  AttemptUnreadable: {
    cause: "The claim's attempt record is unreadable, so the host creates no more instances for it.",
    cure: 'Run `poolwright adopt claim/<name>`, restore the annotation, or delete the claim.',
    seen: ['condition', 'event', 'log'],
  },
  ClaimNotWritable: {
    cause: 'The API server rejects every write to this claim.',
    cure: 'Check admission policies and the stored object.',
    seen: ['event', 'log'],
  },
  ProviderNotConfigured: {
    cause:
      'The provider of this claim is no longer in the configuration, or now points to another account, region or cluster.',
    cure: "Restore the provider's configuration. If the instance is gone for good, remove the claim's finalizer.",
    seen: ['condition', 'event'],
  },
  NoClusterAccess: {
    cause: 'The cluster is not accessible: there is no kubeconfig, or its credentials are invalid.',
    cure: 'Pass a kubeconfig with --kubeconfig and a context with --context; try them with kubectl first.',
    seen: ['cli', 'log'],
    cureInMessage: true,
  },
  NotAllowed: {
    cause: 'Your user is authenticated, but RBAC does not allow this request.',
    cure: 'Request the permission that the message names, or use another user with --context.',
    seen: ['cli'],
    cureInMessage: true,
  },
  NotSeenYet: {
    cause: 'The claim has no status yet: no provisioner has processed it, or none serves its node class.',
    cure: "Wait a moment. Then check that the host is running and serves this cluster (`poolwright clusters`) and the claim's node class (`poolwright explain`).",
    seen: ['cli'],
  },
  ClusterUnavailable: {
    cause: "The cluster's API server does not respond, or rejects the request.",
    cure: 'Check the cluster, the network and the credentials. The host retries.',
    seen: ['http', 'log', 'cli', 'check'],
  },
  ClusterTwice: {
    cause: 'Two entries of the configuration refer to the same cluster; the host ignores the second one.',
    cure: 'Remove one of them from the configuration.',
    seen: ['log'],
  },
  ClusterDisputed: {
    cause:
      'A cluster reports another identity than at the first contact, or the identity of another cluster of the configuration. The administrator of a cluster can make it report any uid.',
    cure: 'If you replaced the cluster, run `poolwright clusters confirm NAME`. Otherwise remove it from the configuration and find out who changed it. Until then the host collects no garbage there.',
    seen: ['log', 'check'],
  },
  TlsUnverified: {
    cause:
      "The configuration disables verification of the cluster's certificate: an attacker on the network could impersonate the cluster and read the token.",
    cure: 'Set its `certificateAuthority`, and remove `insecureSkipTlsVerify`.',
    seen: ['log'],
  },
  ClusterLimited: {
    cause: 'One feature does not work in this cluster; everything else does.',
    cure: 'Add what the message names as missing.',
    seen: ['log'],
  },
  ClusterSettingsUnusable: {
    cause:
      'The settings that the Helm chart wrote to the cluster are invalid, or name a provider type that the deployment does not have.',
    cure: 'Correct the chart values that the message names, or configure the provider. Until then, claims that need the value wait.',
    seen: ['condition', 'log'],
  },
} as const satisfies ErrorGroup;
