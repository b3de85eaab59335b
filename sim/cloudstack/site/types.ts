/** What a site has before anybody deploys anything: places, offerings, templates, people. */

/** Whose a thing is: an account in a domain, or a project. */
export interface Owner {
  account: string;
  domainId: string;
  projectId?: string;
}

export type Tags = Record<string, string>;

export interface Domain {
  id: string;
  name: string;
  path: string;
  level: number;
  parentId?: string;
}

export interface Account {
  id: string;
  name: string;
  domainId: string;
  userId: string;
  userName: string;
  /** Root administrators see and may do everything. */
  role: 'Root Admin' | 'User';
  apiKey: string;
  secretKey: string;
  /** Commands that its role does not have. */
  denied: readonly string[];
}

export interface Project {
  id: string;
  name: string;
  domainId: string;
  /** Names of the accounts that are in it; the first owns it. */
  accounts: readonly string[];
}

export interface Zone {
  id: string;
  name: string;
  networkType: 'Advanced' | 'Basic';
  securityGroups: boolean;
  /** Disabled zones are seen and used by administrators alone. */
  allocationState: 'Enabled' | 'Disabled';
  tags: Tags;
}

export interface Network {
  id: string;
  name: string;
  zone: Zone;
  type: 'Isolated' | 'Shared' | 'L2';
  state: 'Implemented' | 'Allocated' | 'Setup';
  /** `10.1.0.0/16`; none in an L2 network. */
  cidr: string | undefined;
  canUseForDeploy: boolean;
  /** Undefined: everybody may use it. */
  owner: Owner | undefined;
  tags: Tags;
  /** How many addresses there are; as many as the CIDR has when not given. */
  size?: number;
}

export interface GpuProfile {
  cardId: string;
  cardName: string;
  profileId: string;
  profileName: string;
  count: number;
  videoRam?: number;
}

export interface Offering {
  id: string;
  name: string;
  /** Undefined where the deployer says how much. */
  cpuNumber: number | undefined;
  cpuSpeed: number | undefined;
  /** MiB. */
  memory: number | undefined;
  custom?: { minCpu: number; maxCpu: number; minMemory: number; maxMemory: number };
  /** Comma between them, as an operator writes them. */
  hostTags: string;
  storageTags: string;
  /** GB; 0 takes the size of the template. */
  rootDiskSize: number;
  networkRate: number;
  gpu: GpuProfile | undefined;
  details: Record<string, string>;
  /** Names of zones; undefined is everywhere. */
  zones: readonly string[] | undefined;
  state: 'Active' | 'Inactive';
  lease?: { duration: number; action: 'STOP' | 'DESTROY' };
}

export interface DiskOffering {
  id: string;
  name: string;
  /** GB; 0 where the deployer says how much. */
  diskSize: number;
  customized: boolean;
  tags: string;
  state: 'Active' | 'Inactive';
}

export type Architecture = 'x86_64' | 'aarch64';

export interface Template {
  id: string;
  name: string;
  osTypeId: string;
  osTypeName: string;
  hypervisor: 'KVM' | 'VMware' | 'XenServer';
  arch: Architecture;
  /** Zones in which it is, and whether it is ready there. */
  zones: ReadonlyMap<string, boolean>;
  /** Bytes. */
  size: number;
  featured: boolean;
  public: boolean;
  owner: Owner;
  tags: Tags;
  created: number;
  /** User data that is linked to it; it comes before that of a deploy. */
  userData?: { id: string; text: string };
}

export interface Host {
  id: string;
  name: string;
  zone: Zone;
  clusterId: string;
  hypervisor: Template['hypervisor'];
  arch: Architecture;
  tags: readonly string[];
  cpus: number;
  /** MiB. */
  memory: number;
  /** By the id of the card. */
  gpus: ReadonlyMap<string, number>;
  state: 'Up' | 'Down';
}

export interface KeyPair {
  id: string;
  name: string;
  fingerprint: string;
  owner: Owner;
}

export interface SecurityGroup {
  id: string;
  name: string;
  description: string;
  owner: Owner;
}

/** A test may change all of it. */
export interface Site {
  domains: Map<string, Domain>;
  accounts: Map<string, Account>;
  projects: Map<string, Project>;
  zones: Map<string, Zone>;
  networks: Map<string, Network>;
  offerings: Map<string, Offering>;
  diskOfferings: Map<string, DiskOffering>;
  templates: Map<string, Template>;
  hosts: Map<string, Host>;
  keyPairs: Map<string, KeyPair>;
  securityGroups: Map<string, SecurityGroup>;
}
