/**
 * The objects of the group as this product reads them: only the fields that it acts on. What an API server has accepted may have more.
 * Upstream's definitions and ours both serve them.
 */
import type { Json } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import type { KubeObject } from '../../kube/contract.ts';
import type { MachineDisk } from '../../drivers/machine-spec.ts';

export interface Reference {
  name: string;
  namespace?: string;
}

interface Namespaced extends KubeObject {
  metadata: KubeObject['metadata'] & { namespace: string };
}

export interface UserData {
  inline?: string;
  secretRef?: { name: string };
}

export interface VirtualMachineSpec {
  providerRef: Reference;
  classRef: Reference;
  imageRef?: Reference;
  importedDisk?: { diskID: string; path?: string; format?: string; sizeGiB?: number };
  networks?: readonly {
    name: string;
    networkRef?: Reference;
    ipAddress?: string;
    prefix?: number;
    gateway?: string;
    dns?: string;
    macAddress?: string;
  }[];
  disks?: readonly { name: string; sizeGiB: number; type?: string; expandPolicy?: string; scsi?: MachineDisk['scsi'] }[];
  userData?: { cloudInit?: UserData; ignition?: UserData };
  metaData?: { cloudInit?: UserData };
  placement?: Placement;
  placementRef?: { name: string };
  powerState?: 'On' | 'Off' | 'OffGraceful';
  tags?: readonly string[];
  resources?: { cpu?: number; memoryMiB?: number; gpu?: { count: number } };
  lifecycle?: { gracefulShutdownTimeout?: string };
  snapshot?: { revertToRef?: { name: string } };
}

export interface Placement {
  cluster?: string;
  host?: string;
  datastore?: string;
  storagePod?: string;
  folder?: string;
  resourcePool?: string;
}

export const machinePhases = [
  'Pending',
  'Provisioning',
  'Running',
  'Stopped',
  'Reconfiguring',
  'Deleting',
  'Failed',
] as const;

export interface VirtualMachineStatus {
  id?: string;
  powerState?: string;
  ips?: readonly string[];
  consoleURL?: string;
  phase?: (typeof machinePhases)[number];
  message?: string;
  conditions?: readonly Condition[];
  observedGeneration?: number;
  lastTaskRef?: string;
  reconfigureTaskRef?: string;
  lastReconfigureTime?: string;
  currentResources?: { cpu?: number; memoryMiB?: number };
}

export interface VirtualMachine extends Namespaced {
  spec: VirtualMachineSpec;
  status?: VirtualMachineStatus;
}

export interface ProviderObject extends Namespaced {
  spec: { type: string; defaults?: Placement & { network?: string } } & Record<string, Json | undefined>;
}

/** A quantity of Kubernetes: bytes. */
type Quantity = string | number;

export interface VMClass extends Namespaced {
  spec: {
    cpu: number;
    memory: Quantity;
    firmware?: string;
    diskDefaults?: { type?: string; size?: Quantity };
    guestToolsPolicy?: string;
    extraConfig?: Readonly<Record<string, string>>;
    performanceProfile?: {
      latencySensitivity?: string;
      cpuHotAddEnabled?: boolean;
      memoryHotAddEnabled?: boolean;
      virtualizationBasedSecurity?: boolean;
      nestedVirtualization?: boolean;
      hyperThreadingPolicy?: string;
    };
    securityProfile?: {
      secureBoot?: boolean;
      tpmEnabled?: boolean;
      tpmVersion?: string;
      vtdEnabled?: boolean;
      encryptionPolicy?: { enabled?: boolean; keyProvider?: string; requireEncryption?: boolean };
    };
    resourceLimits?: {
      cpuLimit?: number;
      cpuReservation?: number;
      cpuShares?: number;
      memoryLimit?: Quantity;
      memoryReservation?: Quantity;
    };
  };
}

interface WithChecksum {
  checksum?: string;
  checksumType?: string;
}

export interface VMImage extends Namespaced {
  spec: {
    source: {
      vsphere?: WithChecksum & {
        templateName?: string;
        contentLibrary?: { library: string; item: string; version?: string };
        ovaURL?: string;
      };
      libvirt?: WithChecksum & { path?: string; url?: string; format?: string; storagePool?: string };
      http?: WithChecksum & { url: string };
      registry?: { image: string; format?: string };
      dataVolume?: Reference;
      proxmox?: { templateID?: number; templateName?: string; storage?: string; format?: string };
    };
    prepare?: {
      onMissing?: 'Import' | 'Fail' | 'Wait';
      storage?: { vsphere?: { datastore?: string }; libvirt?: { storagePool?: string } };
    };
  };
  status?: {
    ready?: boolean;
    phase?: string;
    message?: string;
    prepareTaskRef?: string;
    conditions?: readonly Condition[];
    providerStatus?: Readonly<Record<string, { available: boolean; id?: string; path?: string; message?: string }>>;
  };
}

export interface VMNetworkAttachment extends Namespaced {
  spec: {
    network: {
      type?: string;
      vsphere?: { portgroup?: string; adapterType?: string; vlan?: { vlanID?: number }; pciSlotNumber?: number };
      libvirt?: { networkName?: string; bridge?: { name: string }; model?: string };
      proxmox?: { bridge?: string; model?: string; vlanTag?: number };
    };
    ipAllocation?: {
      type?: string;
      staticConfig?: { address: string; gateway?: string };
      dnsConfig?: { servers?: readonly string[] };
    };
  };
}

export interface PlacementRules {
  clusters?: readonly string[];
  datastores?: readonly string[];
  hosts?: readonly string[];
  folders?: readonly string[];
  resourcePools?: readonly string[];
  excludedClusters?: readonly string[];
  excludedDatastores?: readonly string[];
  excludedHosts?: readonly string[];
}

export interface VMPlacementPolicy extends Namespaced {
  spec: {
    hard?: PlacementRules;
    soft?: PlacementRules;
    antiAffinity?: { hostAntiAffinity?: { enabled: boolean; maxVMsPerHost?: number; scope?: 'strict' | 'preferred' } };
  };
}
