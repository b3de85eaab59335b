/** Bottlerocket: settings in TOML. What makes a node join is ours; all else stays as the user wrote it. */

import { failed, ok, type Result } from '../../../../base/result.ts';
import { kubeletLabels, sortedTaints } from '../../../../bootstrap/registration.ts';
import { dnsAddresses, type UserDataInput } from './input.ts';
import { readToml } from './toml-read.ts';
import { mergeTables, type TomlTable, type TomlValue, tomlNumber, tomlTable } from './toml-values.ts';
import { writeToml } from './toml-write.ts';

export function bottlerocketUserData(input: UserDataInput): Result<string> {
  const own = readToml(input.userData ?? '');
  if (!own.ok)
    return failed('invalid', `spec.userData: line ${own.line} is not TOML, which Bottlerocket needs: ${own.message}`);
  const ours = tomlTable({
    settings: tomlTable({ kubernetes: kubernetesSettings(input), ...localDisks(input), ...neverWait(own.value) }),
  });
  return ok(writeToml(mergeTables(own.value, ours)));
}

function kubernetesSettings(input: UserDataInput): TomlTable {
  const { cluster, kubelet, maxPods } = input;
  const dns = dnsAddresses(input);
  const pods = maxPods ?? kubelet.maxPods;
  return tomlTable({
    'cluster-name': cluster.name,
    'api-server': cluster.endpoint,
    'cluster-certificate': cluster.certificateAuthority,
    'cluster-dns-ip': dns.length === 0 ? undefined : dns.length === 1 ? dns[0] : dns,
    'max-pods': pods === undefined ? undefined : tomlNumber(pods),
    'node-labels': texts(Object.fromEntries(kubeletLabels(input.labels))),
    'node-taints': taintTable(input),
    'kube-reserved': texts(kubelet.kubeReserved),
    'system-reserved': texts(kubelet.systemReserved),
    'eviction-hard': texts(kubelet.evictionHard),
    'eviction-soft': texts(kubelet.evictionSoft),
    'eviction-soft-grace-period': texts(kubelet.evictionSoftGracePeriod),
    'eviction-max-pod-grace-period': numberOf(kubelet.evictionMaxPodGracePeriod),
    // Bottlerocket wants these two as texts.
    'image-gc-high-threshold-percent': textOf(kubelet.imageGCHighThresholdPercent),
    'image-gc-low-threshold-percent': textOf(kubelet.imageGCLowThresholdPercent),
    'cpu-cfs-quota-enforced': kubelet.cpuCFSQuota,
  });
}

/** A machine that waits for its Auto Scaling group waits for ever: it is in none. */
function neverWait(own: TomlTable): Record<string, TomlTable> {
  const settings = own.get('settings');
  const autoscaling = settings instanceof Map ? settings.get('autoscaling') : undefined;
  if (!(autoscaling instanceof Map) || !autoscaling.has('should-wait')) return {};
  return { autoscaling: tomlTable({ 'should-wait': false }) };
}

/** One key may have several taints: `key = ["value:effect", …]`. */
function taintTable({ taints }: UserDataInput): TomlTable | undefined {
  if (taints.length === 0) return undefined;
  const table: TomlTable = new Map();
  for (const { key, value, effect } of sortedTaints(taints)) {
    const before = table.get(key);
    table.set(key, [...(Array.isArray(before) ? before : []), `${value ?? ''}:${effect}`]);
  }
  return table;
}

const texts = (values: Readonly<Record<string, string>> | undefined): TomlTable | undefined =>
  values === undefined || Object.keys(values).length === 0 ? undefined : tomlTable(values);

const numberOf = (value: number | undefined): TomlValue | undefined =>
  value === undefined ? undefined : tomlNumber(value);
const textOf = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value));

/** Before anything else at the start the local disks become one, and hold what grows. */
function localDisks({ instanceStore }: UserDataInput): Record<string, TomlTable> {
  if (instanceStore !== 'RAID0') return {};
  const dirs = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];
  const command = tomlTable({
    commands: [
      ['apiclient', 'ephemeral-storage', 'init'],
      ['apiclient', 'ephemeral-storage', 'bind', '--dirs', ...dirs],
    ],
    mode: 'always',
    essential: true,
  });
  return { 'bootstrap-commands': tomlTable({ '000-mount-instance-storage': command }) };
}
