/** What a node class comes to: what its nodes run, and what there is to choose from. */
import { defined } from '../../../base/defined.ts';
import { fingerprint } from '../../../base/fingerprint.ts';
import type { InstanceType } from '../../../nodes/claims/choice/offerings.ts';
import type { ResolvedNodeClass } from '../../contract.ts';
import type { PoolClass } from './wish.ts';

export function resolvePoolClass(poolClass: PoolClass, types: readonly InstanceType[]): ResolvedNodeClass {
  const zones = types.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)).filter((zone) => zone !== '');
  const resolved = {
    ...defined({ image: poolClass.osSku }),
    instanceTypes: types.length,
    zones: [...new Set(zones)].sort(),
  };
  if (types.length === 0) {
    const message = 'Azure offers no sizes here; check the region and the subscription in the configuration';
    return { ready: false, reason: 'NothingSelected', message, resolved };
  }
  // Tags are no part of what a machine is made from: a changed tag replaces no node.
  const { tags: _, ...made } = poolClass;
  return { ready: true, resolved, hash: fingerprint({ ...made }) };
}
