/** What is known of a provider. */
import { z } from 'zod';
import { conditions, text, time } from '../../kube/crds/schema-parts.ts';
import { bigCount, choice, count, flag, list, looseRef, message, observedGeneration, texts } from './parts.ts';

export const providerPhases = ['Pending', 'Starting', 'Running', 'Stopping', 'Failed'] as const;

/** What people look for in a list. */
export const providerAbilities = [
  'VirtualMachines',
  'Snapshots',
  'Cloning',
  'LiveMigration',
  'ConsoleAccess',
  'DiskManagement',
  'NetworkManagement',
  'GPUPassthrough',
  'HighAvailability',
  'Backup',
  'Templates',
] as const;

const reported = z
  .object({
    supportsReconfigureOnline: flag('Whether a running machine can be changed.'),
    supportsDiskExpansionOnline: flag('Whether a disk grows while its machine runs.'),
    supportsSnapshots: flag('Whether there are snapshots.'),
    supportsMemorySnapshots: flag('Whether a snapshot can include the memory.'),
    supportsLinkedClones: flag('Whether a clone can share disks with its source.'),
    supportsImageImport: flag('Whether images can be imported.'),
    supportsDiskExport: flag('Whether disks can be exported.'),
    supportsDiskImport: flag('Whether disks can be imported.'),
    supportsExportCompression: flag('Whether an export can be compressed.'),
    supportedDiskTypes: texts('Types of disks.'),
    supportedNetworkTypes: texts('Types of networks.'),
    supportedExportFormats: texts('Formats of exports.'),
    supportedImportFormats: texts('Formats of imports.'),
    supportedExportBackends: texts('Where exports can go.'),
    supportedImportBackends: texts('Where imports can be from.'),
    supportedTransferModes: texts('How disks travel.'),
  })
  .partial()
  .describe('What the provider says it can do.');

const usage = (what: string, unit: string) =>
  z
    .object({
      total: bigCount(`${what} that there is, in ${unit}.`),
      used: bigCount(`${what} in use, in ${unit}.`),
      available: bigCount(`${what} that is left, in ${unit}.`),
      usagePercent: count('Use in percent.'),
    })
    .partial()
    .describe(`${what} of the hypervisor.`);

export const providerStatusSchema = z
  .object({
    observedGeneration,
    healthy: flag('Whether the provider and its hypervisor answer.'),
    lastHealthCheck: time('When its health was last checked.'),
    version: text('Version of the provider.'),
    connectedVMs: count('Number of machines that refer to it.'),
    capabilities: list(z.enum(providerAbilities), 'What it can do, in short.'),
    reportedCapabilities: reported,
    runtime: z
      .object({
        mode: choice(['Remote'], 'Where the provider runs.'),
        phase: choice(providerPhases, 'Phase of the process.'),
        message,
        endpoint: text('Address for calls.'),
        serviceRef: looseRef('Service in front of its pods.'),
        readyReplicas: count('Pods that are ready.'),
        availableReplicas: count('Pods that have been ready for a while.'),
      })
      .partial()
      .describe('The process of the provider.'),
    adoption: z
      .object({
        lastDiscoveryTime: time('When machines were last listed.'),
        discoveredVMs: count('Machines found.'),
        adoptedVMs: count('Machines adopted.'),
        failedAdoptions: count('Machines that could not be adopted.'),
        message,
      })
      .partial()
      .describe('Adoption of machines that exist already.'),
    resourceUsage: z
      .object({
        cpu: usage('CPU', 'MHz'),
        memory: usage('Memory', 'bytes'),
        storage: usage('Storage', 'bytes'),
        network: z
          .object({
            bytesReceived: bigCount('Bytes received.'),
            bytesSent: bigCount('Bytes sent.'),
            packetsReceived: bigCount('Packets received.'),
            packetsSent: bigCount('Packets sent.'),
          })
          .partial()
          .describe('Network of the hypervisor.'),
      })
      .partial()
      .describe('What the hypervisor has, and uses.'),
    conditions: conditions(),
  })
  .partial()
  .describe('The provider as it is.');
