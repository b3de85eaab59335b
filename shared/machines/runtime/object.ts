/** A Provider as the runtime reads it, and what its objects are called. */
import { parseSeconds } from '../../base/durations.ts';
import type { KubeObject, Resource } from '../../kube/contract.ts';
import { machineApiVersion, machineKinds } from '../api/kinds.ts';
import type { ProviderSpec, ProviderStatus } from '../api/provider.ts';

export interface ProviderObject extends KubeObject {
  metadata: KubeObject['metadata'] & { namespace: string };
  spec: ProviderSpec;
  status?: ProviderStatus;
}

const kind = (group: string, version: string, plural: string, name: string): Resource => ({
  group,
  version,
  plural,
  kind: name,
  namespaced: true,
});

export const services = kind('', 'v1', 'services', 'Service');
export const serviceAccounts = kind('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const networkPolicies = kind('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy');

/** The pods of a Provider stay until it has no machines. */
export const providerFinalizer = 'poolwright.dev/provider';
/** `true` on a Provider: only Poolwright and VirtRigaud may call its pods. */
export const networkPolicyAnnotation = 'poolwright.dev/network-policy';

/** A Service and a label have at most 63 characters. */
const longestName = 63;
const prefix = 'virtrigaud-provider-';
export const longestProviderName = longestName - prefix.length;

export const runtimeNameOf = ({ metadata }: ProviderObject): string => `${prefix}${metadata.name}`;

/** As VirtRigaud's manager names them. */
export const upstreamNameOf = ({ metadata: { namespace, name } }: ProviderObject): string =>
  `${prefix}${namespace}-${name}`;

/** By these, people and dashboards find the objects of a Provider. */
export const labelsOf = ({ metadata, spec }: ProviderObject): Record<string, string> => ({
  ...selectorOf(metadata.name),
  'app.kubernetes.io/component': 'provider',
  'app.kubernetes.io/managed-by': 'virtrigaud',
  'virtrigaud.io/provider-type': spec.type,
});

/** Of the pods; it can never change. */
export const selectorOf = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'virtrigaud-provider',
  'app.kubernetes.io/instance': name,
});

/** Not `blockOwnerDeletion`: that would need one right more. */
export const ownerOf = ({ metadata: { name, uid } }: ProviderObject) => ({
  apiVersion: machineApiVersion,
  kind: machineKinds.provider.kind,
  name,
  uid,
  controller: true,
});

/** Whether an object under the name of ours may be changed: it has this Provider as its owner, or VirtRigaud's manager made it for it. */
export function isOf(provider: ProviderObject, { metadata }: KubeObject): boolean {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length > 0) return owners.some(({ uid }) => uid === provider.metadata.uid);
  const labels = metadata.labels ?? {};
  return (
    labels['app.kubernetes.io/managed-by'] === 'virtrigaud' &&
    labels['app.kubernetes.io/instance'] === provider.metadata.name
  );
}

export const portOf = ({ spec }: ProviderObject): number => spec.runtime.service?.port ?? 9443;
export const metricsPort = 8080;

export const hostOf = ({ metadata: { namespace } }: ProviderObject, service: string): string =>
  `${service}.${namespace}.svc`;

/** In the form that VirtRigaud's clients read. */
export const endpointOf = (provider: ProviderObject, service: string): string =>
  `${hostOf(provider, service)}.cluster.local:${portOf(provider)}`;

/** What cannot be read is as usual: a definition of VirtRigaud takes any text. */
export const seconds = (text: string | undefined, usual: number): number => parseSeconds(text ?? '') || usual;

export const healthIntervalSeconds = ({ spec }: ProviderObject): number => seconds(spec.healthCheck?.interval, 30);
