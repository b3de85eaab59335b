/** VMMigration: a machine moves from one provider to another. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, quantity, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import { disks, networks } from './machine-parts.ts';
import {
  bigCount,
  choice,
  count,
  environments,
  eta,
  flag,
  localRef,
  map,
  message,
  name,
  observedGeneration,
  ref,
  texts,
  upTo,
} from './parts.ts';
import { migrationStorageSchema } from './vm-migration-storage.ts';

const source = z
  .object({
    vmRef: localRef('VirtualMachine that moves.'),
    providerRef: ref('Provider. Default: the one of the machine.').optional(),
    snapshotRef: localRef('VMSnapshot that moves. Default: a new one.').optional(),
    createSnapshot: flag('Whether a snapshot is made first.').default(true),
    powerOffBeforeMigration: flag('Whether the machine is stopped first.').default(false),
    deleteAfterMigration: flag('Whether it is deleted afterwards.').default(false),
  })
  .describe('What moves.');

const target = z
  .object({
    name: name('Name of the new VirtualMachine.'),
    namespace: name('Namespace of it. Default: the namespace of the migration.', 63).optional(),
    providerRef: ref('Provider that it moves to.'),
    classRef: localRef('VMClass. Default: the one of the source.').optional(),
    imageRef: localRef('VMImage.').optional(),
    placementRef: localRef('VMPlacementPolicy.').optional(),
    networks: networks.optional(),
    disks: disks.optional(),
    labels: map('Labels of it.', 50).optional(),
    annotations: map('Annotations of it.', 50).optional(),
    powerOn: flag('Whether it is started.').default(false),
  })
  .describe('Where it moves to.');

const options = z
  .object({
    diskFormat: choice(['qcow2', 'vmdk', 'raw'], 'Format of the disk on its way.'),
    compress: flag('Whether it is compressed on its way.').default(false),
    verifyChecksums: flag('Whether checksums are compared.').default(true),
    timeout: text('How long it may take.').default('4h'),
    cleanupPolicy: choice(['Always', 'OnSuccess', 'Never'], 'When what lies on the way is deleted.').default(
      'OnSuccess',
    ),
    retryPolicy: z
      .object({
        maxRetries: count('How often it is tried again.', 0, 10).default(3),
        retryDelay: text('Time before the first further try.').default('5m'),
        backoffMultiplier: count('Factor from one delay to the next.', 1, 10).default(2),
      })
      .partial()
      .describe('What happens after a failure.'),
    validationChecks: z
      .object({
        checkDiskSize: flag('Whether sizes are compared.').default(true),
        checkChecksum: flag('Whether checksums are compared.').default(true),
        checkBoot: flag('Whether it must start.').default(false),
        checkConnectivity: flag('Whether it must be reachable.').default(false),
      })
      .partial()
      .describe('What is checked at the end.'),
  })
  .partial()
  .describe('How it moves.');

export const vmMigrationSpecSchema = z
  .object({
    source,
    target,
    options: options.optional(),
    storage: migrationStorageSchema.optional(),
    metadata: z
      .object({
        purpose: choice(
          ['disaster-recovery', 'cloud-migration', 'provider-change', 'testing', 'maintenance'],
          'What it is for.',
        ),
        project: upTo(255, 'Project that it belongs to.'),
        environment: choice(environments, 'Environment that it belongs to.'),
        createdBy: upTo(255, 'Who wants it.'),
        tags: map('Tags.', 50),
      })
      .partial()
      .describe('What people should know of it.')
      .optional(),
  })
  .describe('A migration.');

export const migrationPhases = [
  'Pending',
  'Validating',
  'Snapshotting',
  'Exporting',
  'Transferring',
  'Converting',
  'Importing',
  'Creating',
  'Validating-Target',
  'Ready',
  'Failed',
] as const;

export const vmMigrationStatusSchema = z
  .object({
    observedGeneration,
    phase: choice(migrationPhases, 'Phase of the migration.'),
    message,
    snapshotID: text('Snapshot at the hypervisor.'),
    snapshotRef: text('VMSnapshot.'),
    exportID: text('Export.'),
    importID: text('Import.'),
    taskRef: text('Task of the provider that runs.'),
    targetVMID: text('Id at the hypervisor.'),
    targetVMRef: localRef('VirtualMachine that was made.'),
    storagePVCName: text('Volume claim that the disk lies on.'),
    startTime: time('When it began.'),
    completionTime: time('When it was complete.'),
    retryCount: count('How often it was tried again.'),
    lastRetryTime: time('When it was last tried again.'),
    diskInfo: z
      .object({
        sourceDiskID: text('Disk at the source.'),
        sourceFormat: text('Format at the source.'),
        sourceSize: quantity('Size at the source.'),
        sourceChecksum: text('Checksum at the source.'),
        targetDiskID: text('Disk at the target.'),
        targetPath: text('Path at the target.'),
        targetFormat: text('Format at the target.'),
        targetSize: quantity('Size at the target.'),
        targetChecksum: text('Checksum at the target.'),
        checksum: text('Checksum on the way.'),
      })
      .partial()
      .describe('The disk.'),
    progress: z
      .object({
        currentPhase: choice(migrationPhases, 'Phase that runs.'),
        phaseStartTime: time('When the phase began.'),
        percentage: count('Part that is done, in percent.', 0, 100),
        totalBytes: bigCount('Bytes in all.'),
        transferredBytes: bigCount('Bytes transferred.'),
        transferRate: bigCount('Bytes per second.'),
        eta,
      })
      .partial()
      .describe('How far it is.'),
    storageInfo: z
      .object({
        url: text('Where the disk lies on its way.'),
        size: quantity('Size of it.'),
        uploadedAt: time('When it was complete there.'),
        cleanedUp: flag('Whether it was deleted there.'),
      })
      .partial()
      .describe('What lies on the way.'),
    validationResults: z
      .object({
        diskSizeMatch: flag('Whether sizes match.'),
        checksumMatch: flag('Whether checksums match.'),
        bootSuccess: flag('Whether it started.'),
        connectivitySuccess: flag('Whether it could be reached.'),
        validationErrors: texts('What was wrong.'),
      })
      .partial()
      .describe('What the checks found.'),
    conditions: conditions(),
  })
  .partial()
  .describe('The migration as it is.');

export const vmMigrationDefinition: KindDefinition = {
  ...machineKinds.migration,
  scope: 'Namespaced',
  shortNames: ['vmmig'],
  categories: ['poolwright'],
  description: 'A virtual machine that moves from one provider to another.',
  spec: vmMigrationSpecSchema,
  specRequired: false,
  status: vmMigrationStatusSchema,
  columns: [
    { name: 'Source', type: 'string', jsonPath: '.spec.source.vmRef.name', description: 'Machine that moves.' },
    { name: 'Target', type: 'string', jsonPath: '.spec.target.name', description: 'New machine.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Phase of the migration.' },
    {
      name: 'Progress',
      type: 'string',
      jsonPath: '.status.progress.percentage',
      description: 'Part that is done, in percent.',
    },
    ageColumn,
  ],
};
