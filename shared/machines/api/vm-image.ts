/** VMImage: what a machine is made from. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, extended, quantity, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import {
  bigCount,
  choice,
  count,
  eta,
  flag,
  imageFormats,
  map,
  message,
  observedGeneration,
  texts,
  upTo,
  type WithConditions,
} from './parts.ts';
import { vmImageSourceSchema } from './vm-image-source.ts';

const storage = z
  .object({
    preferredFormat: choice(imageFormats, 'Format that the image is kept in.'),
    compression: flag('Whether it is kept compressed.').default(false),
    vsphere: z
      .object({
        datastore: upTo(255, 'Datastore.'),
        folder: upTo(255, 'Folder.'),
        thinProvisioned: flag('Whether space is taken when it is used.'),
        diskType: choice(['thin', 'thick', 'eagerzeroedthick'], 'Type of disk.'),
      })
      .partial()
      .describe('On vSphere.'),
    libvirt: z
      .object({
        storagePool: upTo(255, 'Storage pool.'),
        allocationPolicy: choice(['eager', 'lazy'], 'When space is taken.'),
        preallocation: choice(['off', 'metadata', 'falloc', 'full'], 'What is prepared ahead.'),
      })
      .partial()
      .describe('On libvirt.'),
  })
  .partial()
  .describe('Where and how the image is kept.');

const prepare = z
  .object({
    onMissing: choice(['Import', 'Fail', 'Wait'], 'What happens if the hypervisor does not have it.').default('Import'),
    validateChecksum: flag('Whether the checksum is compared.').default(true),
    timeout: text('How long it may take.').default('30m'),
    retries: count('How often it is tried again.', 0, 10).default(3),
    force: flag('Whether it is imported even if it is there.'),
    storage,
    optimization: z
      .object({
        convertFormat: choice(imageFormats, 'Format that it is converted to.'),
        enableCompression: flag('Whether it is compressed.').default(false),
        removeUnusedSpace: flag('Whether unused space is removed.').default(false),
        enableDeltaSync: flag('Whether only differences are transferred.').default(false),
      })
      .partial()
      .describe('What is done to make it smaller.'),
  })
  .partial()
  .describe('What happens before its first use.');

const metadata = z
  .object({
    displayName: upTo(255, 'Name for people.'),
    description: upTo(1024, 'What it is.'),
    version: upTo(100, 'Version of the image.'),
    architecture: choice(['amd64', 'arm64', 'x86_64', 'aarch64'], 'CPU architecture.').default('amd64'),
    tags: map('Tags.', 50),
    annotations: map('Notes for programs.', 50),
  })
  .partial()
  .describe('What people should know of it.');

const distribution = z
  .object({
    name: choice(
      ['ubuntu', 'centos', 'rhel', 'fedora', 'debian', 'suse', 'windows', 'freebsd', 'coreos', 'other'],
      'Operating system.',
    ),
    version: upTo(100, 'Version of it.'),
    variant: upTo(100, 'Variant of it.'),
    family: choice(['linux', 'windows', 'bsd', 'other'], 'Family of it.'),
    kernel: z
      .object({
        type: choice(['linux', 'windows', 'freebsd', 'other'], 'Type of the kernel.'),
        version: text('Version of the kernel.'),
      })
      .partial()
      .describe('Its kernel.'),
  })
  .partial()
  .describe('The operating system in it.');

export const vmImageSpecSchema = z
  .object({
    source: vmImageSourceSchema,
    prepare: prepare.optional(),
    metadata: metadata.optional(),
    distribution: distribution.optional(),
  })
  .describe('An image.');

const atProvider = z.object({
  available: flag('Whether the provider has it.'),
  id: text('Id at the hypervisor.').optional(),
  path: text('Path at the hypervisor.').optional(),
  size: quantity('Size at the hypervisor.').optional(),
  message: message.optional(),
  lastUpdated: time('When that was found out.').optional(),
});

export const vmImageStatusSchema = z
  .object({
    observedGeneration,
    ready: flag('Whether machines can be made from it.'),
    phase: choice(
      ['Pending', 'Downloading', 'Importing', 'Converting', 'Optimizing', 'Ready', 'Failed'],
      'Phase of its preparation.',
    ),
    message,
    availableOn: texts('Providers that have it.'),
    size: quantity('Size.'),
    format: choice(imageFormats, 'Format.'),
    checksum: text('Checksum.'),
    lastPrepareTime: time('When it was last prepared.'),
    prepareTaskRef: text('Task of the provider that prepares it.'),
    importProgress: z
      .object({
        totalBytes: bigCount('Bytes in all.'),
        transferredBytes: bigCount('Bytes transferred.'),
        percentage: count('Part that is done, in percent.', 0, 100),
        startTime: time('When it began.'),
        eta,
        transferRate: bigCount('Bytes per second.'),
      })
      .partial()
      .describe('How far the import is.'),
    providerStatus: extended(z.record(z.string(), atProvider), { description: 'The image at each provider.' }),
    conditions: conditions(),
  })
  .partial()
  .describe('Where the image is ready.');

export type VMImageSpec = z.input<typeof vmImageSpecSchema>;
export type VMImageStatus = WithConditions<z.input<typeof vmImageStatusSchema>>;

export const vmImageDefinition: KindDefinition = {
  ...machineKinds.image,
  scope: 'Namespaced',
  shortNames: ['vmimg'],
  categories: ['poolwright'],
  description: 'What a virtual machine is made from.',
  spec: vmImageSpecSchema,
  specRequired: false,
  status: vmImageStatusSchema,
  columns: [
    { name: 'Ready', type: 'boolean', jsonPath: '.status.ready', description: 'Whether machines can be made from it.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Phase of its preparation.' },
    { name: 'Size', type: 'string', jsonPath: '.status.size', description: 'Size.' },
    { name: 'Providers', type: 'string', jsonPath: '.status.availableOn[*]', description: 'Providers that have it.' },
    ageColumn,
  ],
};
