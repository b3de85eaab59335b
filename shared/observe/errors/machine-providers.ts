/** What is wrong with a Provider of virtual machines. */
import type { ErrorGroup } from './entry.ts';

const about = 'Provider';

export const machineProviders = {
  ProviderTypeUnknown: {
    cause: 'No provider is known for this kind of hypervisor.',
    cure: 'Set `spec.type` to one of the types that the message names. An image of Poolwright with the driver `mock` runs under any of them.',
    seen: ['condition'],
    about,
  },
  ProviderNameTooLong: {
    cause:
      'The Service of a Provider is called `virtrigaud-provider-` and the name of the Provider, and Kubernetes allows 63 characters.',
    cure: 'Create the Provider again under a shorter name.',
    seen: ['condition'],
    about,
  },
  ProviderEndpointInvalid: {
    cause: 'The field `spec.endpoint` is not a URI.',
    cure: 'Set it to the address of the hypervisor, with its scheme.',
    seen: ['condition'],
    about,
  },
  ProviderSecretElsewhere: {
    cause: 'The Secret with the credentials is in another namespace, and a pod mounts only Secrets of its own.',
    cure: 'Put the Secret into the namespace of the Provider, or the Provider into that of the Secret.',
    seen: ['condition'],
    about,
  },
  ProviderNameTaken: {
    cause:
      'An object with a name that the Provider needs exists, and belongs to something else. Poolwright leaves it as it is.',
    cure: 'Delete or rename that object, or create the Provider under another name.',
    seen: ['condition'],
    about,
  },
  ProviderRuntimeRefused: {
    cause: 'The API server refused an object that the Provider needs.',
    cure: 'Read what it says: it is a field of `spec.runtime` that the message names, a rule of an admission policy, or a missing right of `infra/kubernetes/rbac/providers/providers.yaml`.',
    seen: ['condition'],
    about,
  },
  ProviderSecretMissing: {
    cause: 'A pod does not start because a Secret or ConfigMap that it refers to is missing, or lacks a key.',
    cure: 'Create the Secret of `spec.credentialSecretRef` in the namespace of the Provider, with the keys that the provider needs, such as `username` and `password`.',
    seen: ['condition'],
    about,
  },
  ProviderImageUnavailable: {
    cause: 'A node cannot pull the image of the provider.',
    cure: 'Check `spec.runtime.image`, and that `spec.runtime.imagePullSecrets` names a Secret for its registry.',
    seen: ['condition'],
    about,
  },
  ProviderCrashes: {
    cause: 'The process of the provider ends soon after its start.',
    cure: 'Read its log: `kubectl logs -l app.kubernetes.io/instance=<name>`.',
    seen: ['condition'],
    about,
  },
  ProviderTlsSecretUnusable: {
    cause: 'The Secret of `spec.runtime.service.tls.secretRef` is missing, incomplete, or may not be read.',
    cure: 'Give it `tls.crt`, `tls.key` and `ca.crt`, and allow Poolwright to get this one Secret. Without the block `tls`, Poolwright issues certificates itself.',
    seen: ['condition'],
    about,
  },
  ProviderCertificateMismatch: {
    cause:
      'The provider and Poolwright do not accept the certificates of each other: another authority, another name, or one that is no longer valid.',
    cure: 'Check that the certificate was signed by the authority in `ca.crt`, and that it names the Service (`<service>.<namespace>.svc`). Without the block `tls`, Poolwright issues certificates itself.',
    seen: ['condition'],
    about,
  },
  ProviderProtocolUnknown: {
    cause: 'What answers at the Service does not speak the protocol of providers, or speaks it without TLS.',
    cure: 'Check the image and `spec.runtime.service.port`. If the provider serves plaintext, set `spec.runtime.service.tls.enabled` to false.',
    seen: ['condition'],
    about,
  },
  ProviderUnreachable: {
    cause: 'Nothing answers at the Service of the provider.',
    cure: 'Check that its pods are ready, and that no NetworkPolicy keeps Poolwright out.',
    seen: ['condition'],
    about,
  },
  HypervisorUnavailable: {
    cause: 'The provider answers, and its hypervisor does not, or refuses the credentials.',
    cure: 'Check `spec.endpoint`, the credentials, and that the pods of the provider reach the hypervisor.',
    seen: ['condition'],
    about,
  },
  ProviderInUse: {
    cause: 'The Provider is being deleted, and virtual machines refer to it.',
    cure: 'Delete these machines first, or move them to another Provider. Poolwright then deletes the Provider.',
    seen: ['condition'],
    about,
  },
  UnknownVMProvider: {
    cause: 'The cluster has no Provider of that name.',
    cure: '`poolwright get vmproviders` lists them; write `<namespace>/<name>` where a name is used twice.',
    seen: ['cli'],
  },
  UnknownVM: {
    cause: 'The cluster has no VirtualMachine of that name.',
    cure: '`poolwright get vms` lists them; write `<namespace>/<name>` where a name is used twice.',
    seen: ['cli'],
  },
} as const satisfies ErrorGroup;
