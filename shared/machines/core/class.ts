/** Sizes and features of a machine, from its class and what the machine asks for itself. */
import { defined } from '../../base/defined.ts';
import type { MachineClass } from '../../drivers/machine-spec.ts';
import { gibibytes, mebibytes } from './bytes.ts';
import type { VirtualMachine, VMClass } from './objects.ts';

const firmwares = ['BIOS', 'UEFI', 'EFI'] as const;

/** Undefined: its memory is no quantity, which an API server with the definitions never lets in. */
export function resolveClass({ spec }: VMClass, own: VirtualMachine['spec']['resources']): MachineClass | undefined {
  const memoryMiB = own?.memoryMiB ?? mebibytes(spec.memory);
  if (memoryMiB === undefined) return undefined;
  const { diskDefaults: disk, performanceProfile: performance, securityProfile: security, resourceLimits } = spec;
  return {
    cpu: own?.cpu ?? spec.cpu,
    memoryMiB,
    ...defined({
      firmware: firmwares.find((one) => one === spec.firmware),
      diskDefaults: disk && defined({ type: disk.type, sizeGiB: gibibytes(disk.size) }),
      guestToolsPolicy: spec.guestToolsPolicy,
      extraConfig: spec.extraConfig,
      performanceProfile:
        performance &&
        defined({
          latencySensitivity: performance.latencySensitivity,
          cpuHotAdd: performance.cpuHotAddEnabled,
          memoryHotAdd: performance.memoryHotAddEnabled,
          virtualizationBasedSecurity: performance.virtualizationBasedSecurity,
          nestedVirtualization: performance.nestedVirtualization,
          hyperThreadingPolicy: performance.hyperThreadingPolicy,
        }),
      securityProfile:
        security &&
        defined({
          secureBoot: security.secureBoot,
          tpm: security.tpmEnabled,
          tpmVersion: security.tpmVersion,
          vtd: security.vtdEnabled,
          encryption: security.encryptionPolicy?.enabled,
          keyProvider: security.encryptionPolicy?.keyProvider,
          requireEncryption: security.encryptionPolicy?.requireEncryption,
        }),
      limits:
        resourceLimits &&
        defined({
          cpu: resourceLimits.cpuLimit,
          cpuReservation: resourceLimits.cpuReservation,
          memoryMiB: mebibytes(resourceLimits.memoryLimit),
          memoryReservationMiB: mebibytes(resourceLimits.memoryReservation),
          cpuShares: resourceLimits.cpuShares?.toString(),
        }),
    }),
  };
}
