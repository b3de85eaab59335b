/** VMClass: the size of a machine, and what it needs of a hypervisor. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, extended, quantity, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import { choice, count, flag, map, observedGeneration, texts, upTo } from './parts.ts';

const diskDefaults = z
  .object({
    type: choice(['thin', 'thick', 'eagerzeroedthick', 'ssd', 'hdd', 'nvme'], 'Type of disks.').default('thin'),
    size: quantity('Size of disks.').default('40Gi'),
    iops: count('Operations per second.', 100, 100_000),
    storageClass: upTo(253, 'Storage class of the hypervisor.'),
  })
  .partial()
  .describe('What a disk is that says nothing about it.');

const resourceLimits = z
  .object({
    cpuLimit: count('Most CPU in MHz.', 100, 100_000),
    cpuReservation: count('Reserved CPU in MHz.', 0, 100_000),
    cpuShares: count('Share of the CPU when it is scarce.', 1, 1_000_000),
    memoryLimit: quantity('Most memory.'),
    memoryReservation: quantity('Reserved memory.'),
  })
  .partial()
  .describe('Limits and reservations at the hypervisor.');

const performanceProfile = z
  .object({
    latencySensitivity: choice(['low', 'normal', 'high'], 'How much latency matters.').default('normal'),
    cpuHotAddEnabled: flag('Whether CPUs can be added while the machine runs.').default(false),
    memoryHotAddEnabled: flag('Whether memory can be added while the machine runs.').default(false),
    virtualizationBasedSecurity: flag('Whether the guest may isolate parts of itself by virtualization.').default(
      false,
    ),
    nestedVirtualization: flag('Whether the guest may run virtual machines.').default(false),
    hyperThreadingPolicy: choice(['auto', 'prefer', 'avoid', 'require'], 'Use of hyper-threads.').default('auto'),
  })
  .partial()
  .describe('How the hypervisor runs the machine.');

const securityProfile = z
  .object({
    secureBoot: flag('Whether only signed software boots.').default(false),
    tpmEnabled: flag('Whether there is a TPM.').default(false),
    tpmVersion: choice(['1.2', '2', '2.0'], 'Version of the TPM.'),
    vtdEnabled: flag('Whether devices are isolated by an IOMMU.').default(false),
    encryptionPolicy: z
      .object({
        enabled: flag('Whether the machine is encrypted.').default(false),
        requireEncryption: flag('Whether it must not run without encryption.').default(false),
        keyProvider: choice(['standard', 'hardware', 'external'], 'Where keys are from.'),
      })
      .partial()
      .describe('Encryption of the machine.'),
  })
  .partial()
  .describe('Protection of the machine.');

export const vmClassSpecSchema = z
  .object({
    cpu: count('Number of CPUs.', 1, 128),
    memory: quantity('Memory.'),
    firmware: choice(['BIOS', 'UEFI', 'EFI'], 'Firmware.').default('BIOS'),
    guestToolsPolicy: choice(['install', 'skip', 'upgrade', 'uninstall'], 'Tools in the guest.').default('install'),
    diskDefaults: diskDefaults.optional(),
    resourceLimits: resourceLimits.optional(),
    performanceProfile: performanceProfile.optional(),
    securityProfile: securityProfile.optional(),
    extraConfig: map('Further settings of the hypervisor.', 50).optional(),
  })
  .describe('Size and features of a machine.');

export const vmClassStatusSchema = z
  .object({
    observedGeneration,
    usedByVMs: count('Number of machines of the class.'),
    supportedProviders: texts('Providers that can make it.'),
    validationResults: extended(
      z.record(
        z.string(),
        z.object({
          valid: flag('Whether the provider can make it.'),
          message: text('Why not.').optional(),
          warnings: texts('What should be known.').optional(),
          lastValidated: time('When that was found out.').optional(),
        }),
      ),
      { description: 'What each provider says about the class.' },
    ),
    conditions: conditions(),
  })
  .partial()
  .describe('Which providers can make the class.');

export type VMClassSpec = z.input<typeof vmClassSpecSchema>;

export const vmClassDefinition: KindDefinition = {
  ...machineKinds.class,
  scope: 'Namespaced',
  shortNames: ['vmclass'],
  categories: ['poolwright'],
  description: 'The size of a virtual machine.',
  spec: vmClassSpecSchema,
  specRequired: false,
  status: vmClassStatusSchema,
  columns: [
    { name: 'CPU', type: 'integer', jsonPath: '.spec.cpu', description: 'Number of CPUs.' },
    { name: 'Memory', type: 'string', jsonPath: '.spec.memory', description: 'Memory.' },
    { name: 'Firmware', type: 'string', jsonPath: '.spec.firmware', description: 'Firmware.' },
    { name: 'Used by', type: 'integer', jsonPath: '.status.usedByVMs', description: 'Machines of the class.' },
    ageColumn,
  ],
};
