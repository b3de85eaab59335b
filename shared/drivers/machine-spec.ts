/** What a machine is to be, in our words. `wire/` turns it into the JSON that travels inside the messages. */

export interface MachineClass {
  cpu: number;
  memoryMiB: number;
  firmware?: 'BIOS' | 'UEFI' | 'EFI';
  diskDefaults?: { type?: string; sizeGiB?: number };
  guestToolsPolicy?: string;
  extraConfig?: Readonly<Record<string, string>>;
  performanceProfile?: {
    latencySensitivity?: string;
    cpuHotAdd?: boolean;
    memoryHotAdd?: boolean;
    virtualizationBasedSecurity?: boolean;
    nestedVirtualization?: boolean;
    hyperThreadingPolicy?: string;
  };
  securityProfile?: {
    secureBoot?: boolean;
    tpm?: boolean;
    tpmVersion?: string;
    vtd?: boolean;
    encryption?: boolean;
    keyProvider?: string;
    requireEncryption?: boolean;
  };
  /** CPU in MHz. */
  limits?: {
    cpu?: number;
    cpuReservation?: number;
    memoryMiB?: number;
    memoryReservationMiB?: number;
    cpuShares?: string;
  };
}

export interface MachineImage {
  templateName?: string;
  path?: string;
  url?: string;
  format?: string;
  checksum?: string;
  checksumType?: string;
}

export interface MachineNetwork {
  name: string;
  portgroup?: string;
  networkName?: string;
  bridge?: string;
  vlan?: number;
  model?: string;
  mac?: string;
  ipPolicy?: string;
  address?: string;
  prefix?: number;
  gateway?: string;
  dns?: readonly string[];
  pciSlot?: number;
}

export interface MachineDisk {
  name: string;
  sizeGiB: number;
  type?: string;
  scsi?: { controller?: number; sharedBus?: string; controllerType?: string };
}

export interface MachinePlacement {
  datastore?: string;
  storagePod?: string;
  cluster?: string;
  folder?: string;
  host?: string;
  resourcePool?: string;
}

export interface MachineSpec {
  class: MachineClass;
  image: MachineImage;
  networks: readonly MachineNetwork[];
  disks: readonly MachineDisk[];
  placement?: MachinePlacement;
  /** Rendered: cloud-init, or Ignition. */
  userData?: string;
  userDataType?: 'cloud-init' | 'ignition';
  metaData?: string;
  tags: readonly string[];
}
