/** Parts of a machine that clones, sets and migrations say as well. */
import { z } from 'zod';
import { text } from '../../kube/crds/schema-parts.ts';
import { bigCount, choice, count, flag, ipv4, list, localRef, mac, name, ref } from './parts.ts';

const scsi = z
  .object({
    controller: count('Number of the controller.', 0, 3),
    controllerType: choice(['lsilogic', 'buslogic', 'lsilogic-sas', 'pvscsi'], 'Model of the controller.').default(
      'pvscsi',
    ),
    sharedBus: choice(
      ['noSharing', 'virtualSharing', 'physicalSharing'],
      'Whether machines share the bus: of one host, or of several.',
    ).default('noSharing'),
  })
  .partial()
  .describe('SCSI controller of the disk, on vSphere.');

const disk = z.object({
  name: name('Name of the disk.', 63),
  sizeGiB: count('Size in GiB. A disk grows, and never shrinks.', 1, 65_536),
  type: choice(['thin', 'thick', 'eagerzeroedthick', 'ssd', 'hdd'], 'Type of the disk.').default('thin'),
  expandPolicy: choice(['Online', 'Offline'], 'Whether a disk grows while the machine runs.').default('Offline'),
  storageClass: text('Storage class of the hypervisor.').optional(),
  scsi: scsi.optional(),
});
export const disks = list(disk, 'Disks besides the one of the image.', 20);

const network = z.object({
  name: name('Name of the interface within the machine.', 63),
  networkRef: ref('VMNetworkAttachment that the interface is connected to.').optional(),
  ipAddress: ipv4('Fixed IPv4 address. Default: what the network assigns.').optional(),
  prefix: count('Length of the prefix of the address.', 1, 32).optional(),
  gateway: ipv4('IPv4 address of the gateway.').optional(),
  dns: text('DNS servers, separated by commas.').optional(),
  macAddress: mac('MAC address.').optional(),
});
export const networks = list(network, 'Network interfaces.', 10);

const inlineOrSecret = (description: string) =>
  z
    .object({ inline: text('The text itself.'), secretRef: localRef('Secret with the text.') })
    .partial()
    .describe(description);

export const userData = z
  .object({
    cloudInit: inlineOrSecret('User data for cloud-init.'),
    ignition: inlineOrSecret('Configuration for Ignition.'),
  })
  .partial()
  .describe('What the machine does at its first start.');

export const metaData = z
  .object({ cloudInit: inlineOrSecret('Metadata for cloud-init.') })
  .partial()
  .describe('Metadata that cloud-init reads besides the user data.');

export const importedDisk = z
  .object({
    diskID: z.string().min(1).max(253).describe('Id of the disk at the provider.'),
    path: text('Path of the disk at the provider.').optional(),
    format: choice(['qcow2', 'vmdk', 'raw', 'vdi', 'vhdx'], 'Format of the disk.').default('qcow2'),
    source: choice(['migration', 'clone', 'import', 'snapshot', 'manual'], 'Where the disk is from.').optional(),
    migrationRef: localRef('VMMigration that brought the disk.').optional(),
    sizeGiB: count('Size in GiB.', 1).optional(),
  })
  .describe('A disk that is at the provider already, instead of an image.');

export const placement = z
  .object({
    cluster: text('Cluster of hosts.'),
    host: text('Host.'),
    datastore: text('Datastore.'),
    storagePod: text('Group of datastores of which the hypervisor takes one.'),
    folder: text('Folder.'),
    resourcePool: text('Resource pool.'),
  })
  .partial()
  .describe('Where the machine runs. Default: the defaults of the Provider.');

export const resources = z
  .object({
    cpu: count('Number of CPUs.', 1, 128),
    memoryMiB: bigCount('Memory in MiB.', 128, 1_048_576),
    gpu: z
      .object({
        count: count('Number of GPUs.', 1, 8),
        type: text('Model of the GPU.', { pattern: '^[a-zA-Z0-9-_]+$' }).optional(),
        memory: bigCount('Memory of the GPU in MiB.', 512).optional(),
      })
      .describe('GPUs.'),
  })
  .partial()
  .describe('What this machine has instead of what its class says.');

const hook = (description: string) =>
  z
    .object({
      exec: z
        .object({ command: z.array(z.string()).min(1).describe('The command and its arguments.') })
        .describe('A command in the guest.'),
      httpGet: z
        .object({
          port: count('Port.', 1, 65_535),
          path: text('Path.').optional(),
          host: text('Host. Default: the machine.').optional(),
          scheme: choice(['HTTP', 'HTTPS'], 'Protocol.').default('HTTP'),
        })
        .describe('A request over HTTP.'),
      snapshot: z
        .object({
          name: text('Name of the snapshot.'),
          includeMemory: flag('Whether the memory is part of it.').optional(),
          description: text('What it is for.').optional(),
        })
        .describe('A snapshot.'),
    })
    .partial()
    .describe(description);

export const lifecycle = z
  .object({
    preStop: hook('What happens before the machine stops.'),
    postStart: hook('What happens after the machine has started.'),
    gracefulShutdownTimeout: text('How long a graceful shutdown may take.').default('60s'),
  })
  .partial()
  .describe('What happens around starts and stops.');

export const powerStates = ['On', 'Off', 'OffGraceful'] as const;
