/** VMSnapshot: the state of a machine to which it can go back. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, extended, quantity, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import {
  bigCount,
  choice,
  count,
  environments,
  eta,
  flag,
  list,
  localRef,
  map,
  message,
  observedGeneration,
  upTo,
  type WithConditions,
} from './parts.ts';

const snapshotConfig = z
  .object({
    name: extended(z.string().max(255), {
      description: 'Name at the hypervisor. Default: the name of the object.',
      pattern: '^[a-zA-Z0-9]([-a-zA-Z0-9_]*[a-zA-Z0-9])?$',
    }),
    description: upTo(1024, 'What it is for.'),
    type: choice(['Standard', 'Crash', 'Application'], 'Type of snapshot.').default('Standard'),
    includeMemory: flag('Whether the memory is part of it.').default(false),
    quiesce: flag('Whether the guest writes its buffers first.').default(true),
    consistencyLevel: choice(
      ['CrashConsistent', 'FilesystemConsistent', 'ApplicationConsistent'],
      'What is consistent in it.',
    ).default('FilesystemConsistent'),
    compression: flag('Whether it is compressed.').default(false),
    encryption: z
      .object({
        enabled: flag('Whether it is encrypted.').default(false),
        keyProvider: choice(['standard', 'hardware', 'external'], 'Where keys are from.'),
        keyRef: localRef('Secret with the key.'),
      })
      .partial()
      .describe('Encryption of the snapshot.'),
  })
  .partial()
  .describe('How it is made.');

const retentionPolicy = z
  .object({
    maxAge: text('When it is deleted.'),
    maxCount: count('Most snapshots of the machine.', 1, 100),
    deleteOnVMDelete: flag('Whether it goes with its machine.').default(true),
    gracePeriod: text('How long it is kept after that.').default('24h'),
    preservePinned: flag('Whether pinned ones are kept.').default(true),
  })
  .partial()
  .describe('How long it is kept.');

const schedule = z
  .object({
    enabled: flag('Whether snapshots are made on a schedule.').default(false),
    cronSpec: text('When, as a cron expression.'),
    timezone: text('Time zone of the expression.').default('UTC'),
    suspend: flag('Whether the schedule pauses.').default(false),
    concurrencyPolicy: choice(['Allow', 'Forbid', 'Replace'], 'What happens if the last one still runs.').default(
      'Forbid',
    ),
    successfulJobsHistoryLimit: count('Successful ones that are kept.', 0, 100).default(3),
    failedJobsHistoryLimit: count('Failed ones that are kept.', 0, 100).default(1),
  })
  .partial()
  .describe('Snapshots on a schedule.');

export const vmSnapshotSpecSchema = z
  .object({
    vmRef: localRef('VirtualMachine of the snapshot.'),
    snapshotConfig: snapshotConfig.optional(),
    retentionPolicy: retentionPolicy.optional(),
    schedule: schedule.optional(),
    metadata: z
      .object({
        application: upTo(255, 'Application that it belongs to.'),
        environment: choice(environments, 'Environment that it belongs to.'),
        purpose: choice(['backup', 'testing', 'migration', 'restore-point', 'update', 'other'], 'What it is for.'),
        pinned: flag('Whether it is kept in any case.').default(false),
        tags: map('Tags.', 50),
      })
      .partial()
      .describe('What people should know of it.')
      .optional(),
  })
  .describe('A snapshot.');

const relative = z.object({
  name: text('Name of the snapshot.'),
  namespace: text('Namespace of it.').optional(),
  uid: text('Uid of it.').optional(),
});

export const snapshotPhases = ['Pending', 'Creating', 'Ready', 'Deleting', 'Failed', 'Expired'] as const;

export const vmSnapshotStatusSchema = z
  .object({
    observedGeneration,
    snapshotID: text('Id at the hypervisor.'),
    phase: choice(snapshotPhases, 'Phase of the snapshot.'),
    message,
    creationTime: time('When it was made.'),
    completionTime: time('When it was complete.'),
    expiryTime: time('When it is deleted.'),
    size: quantity('Space that it takes.'),
    virtualSize: quantity('Size of the disks in it.'),
    taskRef: text('Task of the provider that runs.'),
    parent: relative.describe('Snapshot that it follows.'),
    children: list(relative, 'Snapshots that follow it.'),
    progress: z
      .object({
        totalBytes: bigCount('Bytes in all.'),
        completedBytes: bigCount('Bytes that are done.'),
        percentage: count('Part that is done, in percent.', 0, 100),
        startTime: time('When it began.'),
        eta,
      })
      .partial()
      .describe('How far it is.'),
    providerStatus: extended(
      z.record(
        z.string(),
        z.object({
          available: flag('Whether the provider has it.'),
          id: text('Id at the hypervisor.').optional(),
          path: text('Path at the hypervisor.').optional(),
          state: text('State at the hypervisor.').optional(),
          message: message.optional(),
          lastUpdated: time('When that was found out.').optional(),
        }),
      ),
      { description: 'The snapshot at each provider.' },
    ),
    conditions: conditions(),
  })
  .partial()
  .describe('The snapshot as it is.');

export type VMSnapshotSpec = z.input<typeof vmSnapshotSpecSchema>;
export type VMSnapshotStatus = WithConditions<z.input<typeof vmSnapshotStatusSchema>>;

export const vmSnapshotDefinition: KindDefinition = {
  ...machineKinds.snapshot,
  scope: 'Namespaced',
  shortNames: ['vmsnap'],
  categories: ['poolwright'],
  description: 'The state of a virtual machine to which it can go back.',
  spec: vmSnapshotSpecSchema,
  specRequired: false,
  status: vmSnapshotStatusSchema,
  columns: [
    { name: 'VM', type: 'string', jsonPath: '.spec.vmRef.name', description: 'Name of its VirtualMachine.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Phase of the snapshot.' },
    { name: 'Size', type: 'string', jsonPath: '.status.size', description: 'Space that it takes.' },
    { name: 'Created', type: 'date', jsonPath: '.status.creationTime', description: 'When it was made.' },
    { name: 'Expires', type: 'date', jsonPath: '.status.expiryTime', description: 'When it is deleted.' },
    ageColumn,
  ],
};
