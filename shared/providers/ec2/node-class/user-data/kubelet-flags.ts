/** The kubelet's settings as flags, for families whose bootstrap takes flags. */
import { kubeletLabels, sortedTaints, taintText } from '../../../../bootstrap/registration.ts';
import type { UserDataInput } from './input.ts';

export function kubeletFlags({ labels, taints, kubelet, maxPods }: UserDataInput): string[] {
  const ofLabels = kubeletLabels(labels).map(([key, value]) => `${key}=${value}`);
  const ofTaints = sortedTaints(taints).map(taintText);
  const pods = maxPods ?? kubelet.maxPods;
  return [
    ...(ofLabels.length === 0 ? [] : [`--node-labels="${ofLabels.join(',')}"`]),
    ...(ofTaints.length === 0 ? [] : [`--register-with-taints="${ofTaints.join(',')}"`]),
    ...(pods === undefined ? [] : [`--max-pods=${pods}`]),
    ...flag('--pods-per-core', kubelet.podsPerCore),
    ...list('--system-reserved', kubelet.systemReserved, '='),
    ...list('--kube-reserved', kubelet.kubeReserved, '='),
    ...list('--eviction-hard', kubelet.evictionHard, '<'),
    ...list('--eviction-soft', kubelet.evictionSoft, '<'),
    ...list('--eviction-soft-grace-period', kubelet.evictionSoftGracePeriod, '='),
    ...flag('--eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod),
    ...flag('--image-gc-high-threshold', kubelet.imageGCHighThresholdPercent),
    ...flag('--image-gc-low-threshold', kubelet.imageGCLowThresholdPercent),
    ...flag('--cpu-cfs-quota', kubelet.cpuCFSQuota),
  ];
}

const flag = (name: string, value: number | boolean | undefined): string[] =>
  value === undefined ? [] : [`${name}=${value}`];

function list(name: string, values: Readonly<Record<string, string>> | undefined, sign: string): string[] {
  const entries = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  // In quotes: an eviction threshold holds a <, which a shell would take for a file.
  return entries.length === 0 ? [] : [`${name}="${entries.map(([key, value]) => key + sign + value).join(',')}"`];
}
