/** What one VM is made of: everything that a deploy names, found before anything is asked for. */
import type { Build as HashedBuild } from '../instances/made-of.ts';

export interface BuildNetwork {
  id: string;
  /** A fixed address in it; absent: CloudStack chooses one. */
  address?: string;
}

export interface BuildVolume {
  diskOfferingId: string;
  /** GB. */
  size?: number;
  minIops?: number;
  maxIops?: number;
}

export interface Build {
  zoneId: string;
  templateId: string;
  offeringId: string;
  /** Of an offering whose size is chosen with each VM. */
  size?: { cpuNumber: number; memory: number; cpuSpeed?: number };
  /** In the order of the NICs; the first is the default one. */
  networks: readonly BuildNetwork[];
  rootDiskSize?: number;
  volumes: readonly BuildVolume[];
  keyPair?: string;
  affinityGroupIds: readonly string[];
  securityGroupIds: readonly string[];
  boot?: { type: string; mode?: string };
  extraConfig?: string;
  lease?: { days: number; action: string };
  /** Base64. */
  userData?: string;
  /** CloudStack may add user data of the template to it, or take that in its place. */
  templateHasUserData?: true;
}

export const hashedBuild = ({
  offeringId,
  templateId,
  networks,
  size,
  userData = '',
  templateHasUserData,
}: Build): HashedBuild => ({
  offeringId,
  templateId,
  networkIds: networks.map(({ id }) => id),
  ...(size === undefined ? {} : { size: { cpus: size.cpuNumber, memoryMiB: size.memory } }),
  ...(templateHasUserData ? {} : { userData }),
});
