/** From a wish to the body of a PUT, as Azure Local has it. */
import { defined } from '../../../base/defined.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { PoolWish } from '../../agent-pools/agent-pools.ts';
import type { AgentPool } from './models.ts';

export function agentPoolBody(wish: PoolWish, customLocation: string | undefined): Result<AgentPool> {
  const refused = refusedField(wish);
  if (refused !== undefined) {
    return failed(
      'invalid',
      `${refused}: agent pools on Azure Local have no such setting; remove it for the provider arc`,
    );
  }
  return ok({
    ...(customLocation === undefined ? {} : { extendedLocation: { type: 'CustomLocation', name: customLocation } }),
    ...(Object.keys(wish.tags).length === 0 ? {} : { tags: wish.tags }),
    properties: {
      count: 1,
      vmSize: wish.vmSize,
      osType: 'Linux',
      // There is one Linux: Azure Linux, under its old name. Who asks for Ubuntu, as KAITO does by default, gets it too.
      ...(wish.osSku?.toLowerCase() === 'azurelinux' ? { osSKU: 'CBLMariner' } : {}),
      nodeLabels: wish.labels,
      nodeTaints: wish.taints,
      ...defined({ maxPods: wish.maxPods }),
    },
  });
}

/** The disk is part of the size here, so that a claim which names one is no mistake. */
function refusedField(wish: PoolWish): string | undefined {
  if (wish.spot) return 'spot';
  if (wish.zone !== '') return 'zone';
  if (wish.subnetId !== undefined) return 'vnetSubnetID';
  if (wish.fips === true) return 'fipsMode';
  if (wish.gpuDriver !== undefined && wish.gpuDriver !== 'Install') return 'gpu driver';
  return wish.kubelet === undefined ? undefined : 'kubelet';
}
