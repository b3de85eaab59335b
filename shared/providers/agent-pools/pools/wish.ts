/**
 * From a claim to the agent pool that is asked for. Where the claim is one that gpu-provisioner accepts, the pool is the one
 * that it would make; everything else comes from the offering and the node class.
 */
import { defined } from '../../../base/defined.ts';
import type { Checked } from '../../../base/problems.ts';
import type { Taint } from '../../../nodes/claims/spec/types.ts';
import type { CreateRequest } from '../../contract.ts';
import type { PoolWish } from '../agent-pools.ts';
import { diskOf } from './disk.ts';
import { poolLabels, spotMark } from './labels.ts';
import { osSkuOf } from './os-sku.ts';
import { tagsOf } from './tags.ts';
import { zoneNumber } from './zones.ts';

/** What a node class asks for, in the terms of pools, whatever its kind. */
export interface PoolClass {
  osSku?: string;
  osDiskSizeGB?: number;
  maxPods?: number;
  subnetId?: string;
  tags: Record<string, string>;
  fips?: boolean;
  gpuDriver?: string;
  kubelet?: Record<string, unknown>;
}

/** What the API of a kind of cluster has no field for is left out of the wish. */
export interface PoolAbilities {
  /** The size of the OS disk, and which Linux is on it, can be chosen per claim. */
  osDisk: boolean;
}

export interface Mapped {
  wish: PoolWish;
  /** For the log: something in the claim is not understood, and the usual was taken instead. */
  warning?: string;
}

export function wishFor(request: CreateRequest, poolClass: PoolClass, abilities: PoolAbilities): Checked<Mapped> {
  const { claim, owner, offering, claimName } = request;
  const disk = diskOf(claim.requests, poolClass.osDiskSizeGB);
  if (!disk.ok) return disk;
  const spot = offering.capacityType === 'spot';
  const { osSku, unknown } = abilities.osDisk
    ? osSkuOf(claim.annotations, poolClass.osSku)
    : { osSku: poolClass.osSku };
  const zone = zoneNumber(offering.zone);
  if (zone === undefined) {
    return {
      ok: false,
      problems: [{ path: '', message: `${offering.zone} is not an Azure zone; zones are like eastus-1` }],
    };
  }
  const wish: PoolWish = {
    vmSize: offering.instanceType,
    labels: poolLabels(claim, owner, offering.instanceType),
    taints: claim.taints.filter((taint) => !(spot && isSpotMark(taint))).map(poolTaint),
    // Azure puts taints of a pool back on, so a startup taint here would never go; it is put on when the Node registers.
    initializationTaints: [],
    tags: { ...poolClass.tags, ...tagsOf(owner, claimName) },
    spot,
    zone,
    ...(abilities.osDisk ? { osDiskSizeGB: disk.value } : {}),
    ...defined({
      osSku,
      maxPods: poolClass.maxPods,
      subnetId: poolClass.subnetId,
      fips: poolClass.fips,
      gpuDriver: poolClass.gpuDriver,
      kubelet: poolClass.kubelet,
    }),
  };
  return { ok: true, value: { wish, ...defined({ warning: unknown }) } };
}

/** As gpu-provisioner writes it: the equals sign stays when there is no value. */
const poolTaint = ({ key, value, effect }: Taint): string => `${key}=${value ?? ''}:${effect}`;

const isSpotMark = ({ key, effect }: Taint): boolean => key === spotMark.key && effect === spotMark.effect;
