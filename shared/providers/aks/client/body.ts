/** From a wish to the body of a PUT, as AKS has it. */

import type { AgentPool, KubeletConfig } from '@azure/arm-containerservice';
import { defined } from '../../../base/defined.ts';
import { didYouMean } from '../../../base/nearest.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { PoolWish } from '../../agent-pools/agent-pools.ts';

/** What kubeletConfig may hold; the client would drop anything else without a word. */
const kubeletFields = [
  'cpuManagerPolicy',
  'cpuCfsQuota',
  'cpuCfsQuotaPeriod',
  'imageGcHighThreshold',
  'imageGcLowThreshold',
  'topologyManagerPolicy',
  'allowedUnsafeSysctls',
  'failSwapOn',
  'containerLogMaxSizeMB',
  'containerLogMaxFiles',
  'podMaxPids',
] as const satisfies readonly (keyof KubeletConfig)[];

export function agentPoolBody(wish: PoolWish): Result<AgentPool> {
  const unknown = Object.keys(wish.kubelet ?? {}).find((key) => !(kubeletFields as readonly string[]).includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, [...kubeletFields]);
    return failed('invalid', `kubelet.${unknown}: AKS has no such setting${hint}; it has ${kubeletFields.join(', ')}`);
  }
  const zone = zoneNumber(wish.zone);
  if (zone === undefined)
    return failed('invalid', `zone ${JSON.stringify(wish.zone)}: must be a number, or <region>-<number>`);
  return ok({
    count: 1,
    vmSize: wish.vmSize,
    osType: 'Linux',
    typePropertiesType: 'VirtualMachineScaleSets',
    nodeLabels: wish.labels,
    nodeTaints: wish.taints,
    // Taints for new nodes only are no part of this version of the API: registration puts them on.
    ...(Object.keys(wish.tags).length === 0 ? {} : { tags: wish.tags }),
    // A price of -1 means: up to the price on demand.
    ...(wish.spot ? { scaleSetPriority: 'Spot', scaleSetEvictionPolicy: 'Delete', spotMaxPrice: -1 } : {}),
    ...(zone === '' ? {} : { availabilityZones: [zone] }),
    ...defined({
      osDiskSizeGB: wish.osDiskSizeGB,
      osSKU: wish.osSku,
      maxPods: wish.maxPods,
      vnetSubnetID: wish.subnetId,
      enableFips: wish.fips,
    }),
    ...(wish.gpuDriver === undefined ? {} : { gpuProfile: { driver: wish.gpuDriver } }),
    ...(wish.kubelet === undefined ? {} : { kubeletConfig: wish.kubelet as KubeletConfig }),
  });
}

/** AKS counts its zones; nodes and claims name them with their region before. */
function zoneNumber(zone: string): string | undefined {
  if (zone === '') return '';
  return /^(?:[a-z0-9]+-)?(\d+)$/.exec(zone)?.[1];
}
