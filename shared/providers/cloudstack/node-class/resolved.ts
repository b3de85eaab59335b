/** What a CloudStackNodeClass comes to at CloudStack right now. Plain data: it is kept in state and shared by all claims of the class. */
import type { CloudStackNodeClassSpec } from './schema.ts';

export type ResolvedZone = {
  id: string;
  /** As CloudStack has it; `label` is what nodes carry. */
  name: string;
  label: string;
  /** Basic or Advanced. */
  networkType: string;
  securityGroups: boolean;
};

export type ResolvedNetwork = {
  id: string;
  name: string;
  /** Isolated, Shared, L2. */
  type: string;
  zoneId: string;
};

export type ResolvedTemplate = {
  id: string;
  name: string;
  zoneId: string;
  osType: string;
  /** As nodes name it; CloudStack before 4.20 does not say, and then it is amd64. */
  arch: 'amd64' | 'arm64' | 's390x';
  hypervisor: string;
  /** Of the root disk that it makes, in bytes; 0 where CloudStack does not say. */
  size: number;
  /** As CloudStack writes it; of several templates the newest is used. */
  createdAt: string;
  /** User data is linked to it, and CloudStack may join it with that of the class. */
  hasUserData?: true;
};

/** Cards, profiles, or the older way by details of the offering. */
export type OfferingGpu = {
  count: number;
  card: string;
  cardId?: string;
  profile?: string;
  profileId?: string;
  /** Said by `pciDevice` and `vgpuType` in the details of the offering, as XenServer has it. */
  byDetails?: true;
};

export type ResolvedOffering = {
  id: string;
  name: string;
  createdAt: string;
  /** 0 where a size has to be given. */
  cpuNumber: number;
  /** In MiB; 0 where a size has to be given. */
  memory: number;
  /** In MHz; 0 where it has to be given, or CloudStack does not say. */
  cpuSpeed: number;
  /** A size has to be given, within these limits where there are some. */
  customized: boolean;
  limits?: { minCpu?: number; maxCpu?: number; minMemory?: number; maxMemory?: number };
  /** In Mbit/s; 0: not limited, or unknown. */
  networkRate: number;
  /** In GB; 0: as large as the template. */
  rootDiskSize: number;
  hostTags: readonly string[];
  storageTags: readonly string[];
  details: Readonly<Record<string, string>>;
  gpu?: OfferingGpu;
  /** Ids of the zones in which it is offered; absent: in all of them. */
  zoneIds?: readonly string[];
  capacityType: 'on-demand' | 'spot';
  /** What matched the term of the class, for people: `host tag compute-type=general-purpose`. */
  matchedBy: string;
};

export interface ResolvedCloudStackClass {
  name: string;
  spec: CloudStackNodeClassSpec;
  /** Those of the class in which its networks and templates are. */
  zones: readonly ResolvedZone[];
  /** In the order of the terms: the first of a zone is its default. */
  networks: readonly ResolvedNetwork[];
  /** The newest comes first. */
  templates: readonly ResolvedTemplate[];
  offerings: readonly ResolvedOffering[];
  /** `diskOffering` first, then `dataVolumes`. */
  volumes: readonly ResolvedVolume[];
  securityGroupIds: readonly string[];
  /** Those that exist already; the one of a pool is made with its first machine. */
  affinityGroupIds: readonly string[];
}

export type ResolvedVolume = { diskOfferingId: string; size?: number; minIops?: number; maxIops?: number };
