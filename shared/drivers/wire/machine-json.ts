/**
 * The JSON inside the messages, in one place. The keys are those of structs in Go that have no tags, so they begin with a capital letter.
 * A server for Proxmox looks networks up by other, lower-case keys, so these are written as well; Go reads keys whatever their case.
 */
import type { Json } from '../../base/json.ts';
import type { MachineClass, MachineDisk, MachineImage, MachineNetwork, MachinePlacement } from '../machine-spec.ts';
import { type Codec, flag, joined, list, number, object, text, textMap } from './codec.ts';

type Part<T, K extends keyof T> = NonNullable<T[K]>;

/** A literal of ours is any text on the wire: what it may be is checked where it is used. */
const word = text as Codec<never>;

export const classJson = object<MachineClass>(
  {
    cpu: ['CPU', number],
    memoryMiB: ['MemoryMiB', number],
    firmware: ['Firmware', word],
    diskDefaults: [
      'DiskDefaults',
      object<Part<MachineClass, 'diskDefaults'>>({ type: ['Type', text], sizeGiB: ['SizeGiB', number] }),
    ],
    guestToolsPolicy: ['GuestToolsPolicy', text],
    extraConfig: ['ExtraConfig', textMap],
    performanceProfile: [
      'PerformanceProfile',
      object<Part<MachineClass, 'performanceProfile'>>({
        latencySensitivity: ['LatencySensitivity', text],
        cpuHotAdd: ['CPUHotAddEnabled', flag],
        memoryHotAdd: ['MemoryHotAddEnabled', flag],
        virtualizationBasedSecurity: ['VirtualizationBasedSecurity', flag],
        nestedVirtualization: ['NestedVirtualization', flag],
        hyperThreadingPolicy: ['HyperThreadingPolicy', text],
      }),
    ],
    securityProfile: [
      'SecurityProfile',
      object<Part<MachineClass, 'securityProfile'>>({
        secureBoot: ['SecureBoot', flag],
        tpm: ['TPMEnabled', flag],
        tpmVersion: ['TPMVersion', text],
        vtd: ['VTDEnabled', flag],
        encryption: ['EncryptionEnabled', flag],
        keyProvider: ['KeyProvider', text],
        requireEncryption: ['RequireEncryption', flag],
      }),
    ],
    limits: [
      'ResourceLimits',
      object<Part<MachineClass, 'limits'>>({
        cpu: ['CPULimit', number],
        cpuReservation: ['CPUReservation', number],
        memoryMiB: ['MemoryLimitMiB', number],
        memoryReservationMiB: ['MemoryReservationMiB', number],
        cpuShares: ['CPUShares', text],
      }),
    ],
  },
  { required: ['cpu', 'memoryMiB'] },
);

export const imageJson = object<MachineImage>({
  templateName: ['TemplateName', text],
  path: ['Path', text],
  url: ['URL', text],
  format: ['Format', text],
  checksum: ['Checksum', text],
  checksumType: ['ChecksumType', text],
});

const network = object<MachineNetwork>(
  {
    name: ['Name', text],
    portgroup: ['Portgroup', text],
    networkName: ['NetworkName', text],
    bridge: ['Bridge', text],
    vlan: ['VLAN', number],
    model: ['Model', text],
    mac: ['MacAddress', text],
    ipPolicy: ['IPPolicy', text],
    address: ['StaticIP', text],
    prefix: ['Prefix', number],
    gateway: ['Gateway', text],
    dns: ['DNS', joined(',')],
    pciSlot: ['PCISlotNumber', number],
  },
  { required: ['name'] },
);

function lowerCaseKeys({ name, vlan, mac, address, prefix, gateway, dns }: MachineNetwork): { [key: string]: Json } {
  return {
    name,
    ...(vlan === undefined ? {} : { vlan }),
    ...(mac === undefined ? {} : { mac }),
    ...(address === undefined
      ? {}
      : {
          static_ip: {
            address: prefix === undefined ? address : `${address}/${prefix}`,
            ...(gateway === undefined ? {} : { gateway }),
            ...(dns === undefined ? {} : { dns: [...dns] }),
          },
        }),
  };
}

export const networksJson = list<MachineNetwork>({
  write: (value) => ({ ...(network.write(value) as object), ...lowerCaseKeys(value) }),
  read: network.read,
});

export const disksJson = list(
  object<MachineDisk>(
    {
      name: ['Name', text],
      sizeGiB: ['SizeGiB', number],
      type: ['Type', text],
      scsi: [
        'SCSI',
        object<Part<MachineDisk, 'scsi'>>({
          controller: ['controller', number],
          sharedBus: ['sharedBus', text],
          controllerType: ['controllerType', text],
        }),
      ],
    },
    { required: ['sizeGiB'] },
  ),
);

export const placementJson = object<MachinePlacement>({
  datastore: ['Datastore', text],
  storagePod: ['StoragePod', text],
  cluster: ['Cluster', text],
  folder: ['Folder', text],
  host: ['Host', text],
  resourcePool: ['ResourcePool', text],
});
