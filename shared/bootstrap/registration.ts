/** What a kubelet registers its Node with: the labels that it may give itself, and the taints that keep pods away until we are done. */
import type { Taint } from '../nodes/claims/spec/types.ts';

/** Labels of Kubernetes' own domains that a kubelet may give its own node; with any other it does not start. */
const allowedDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const allowedLabels = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
]);

/** The others are put on the Node when it is registered. Sorted: the same labels give the same bytes. */
export const kubeletLabels = (labels: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(labels)
    .filter(([key]) => mayRegisterWith(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));

function mayRegisterWith(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const reserved = ['kubernetes.io', 'k8s.io'].some((one) => domain === one || domain.endsWith(`.${one}`));
  if (!reserved) return true;
  return allowedLabels.has(key) || allowedDomains.some((one) => domain === one || domain.endsWith(`.${one}`));
}

export const sortedTaints = (taints: readonly Taint[]): Taint[] =>
  taints.toSorted((a, b) => (taintText(a) < taintText(b) ? -1 : 1));

/** `key=value:effect`, as flags of the kubelet have it. */
export const taintText = ({ key, value, effect }: Taint): string => `${key}=${value ?? ''}:${effect}`;
