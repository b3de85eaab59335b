/** VMClone: a new machine from another one, a snapshot, an image or a template. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, text, time } from '../../kube/crds/schema-parts.ts';
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
import { customizationSchema } from './vm-clone-customization.ts';

const cloneTypes = ['FullClone', 'LinkedClone', 'InstantClone'] as const;

const target = z
  .object({
    name: name('Name of the new VirtualMachine.'),
    namespace: name('Namespace of it. Default: the namespace of the clone.', 63).optional(),
    providerRef: ref('Provider. Default: the one of the source.').optional(),
    classRef: localRef('VMClass. Default: the one of the source.').optional(),
    placementRef: localRef('VMPlacementPolicy.').optional(),
    networks: networks.optional(),
    disks: disks.optional(),
    labels: map('Labels of it.', 50).optional(),
    annotations: map('Annotations of it.', 50).optional(),
  })
  .describe('The new machine.');

export const retryPolicy = z
  .object({
    maxRetries: count('How often it is tried again.', 0, 10).default(3),
    retryDelay: text('Time before the first further try.').default('5m'),
    backoffMultiplier: count('Factor from one delay to the next.').default(2),
  })
  .partial()
  .describe('What happens after a failure.');

const options = z
  .object({
    type: choice(cloneTypes, 'Whether disks are copied or shared.').default('FullClone'),
    powerOn: flag('Whether it is started.').default(false),
    includeSnapshots: flag('Whether snapshots come along.').default(false),
    parallel: flag('Whether disks are copied at the same time.').default(false),
    timeout: text('How long it may take.').default('30m'),
    retryPolicy,
    storage: z
      .object({
        datastore: upTo(255, 'Datastore.'),
        folder: upTo(255, 'Folder.'),
        storageClass: upTo(253, 'Storage class of the hypervisor.'),
        diskFormat: choice(['thin', 'thick', 'eagerzeroedthick', 'ssd', 'hdd', 'nvme'], 'Type of disks.'),
        enableCompression: flag('Whether disks are compressed.').default(false),
        preferThinProvisioning: flag('Whether space is taken when it is used.').default(true),
      })
      .partial()
      .describe('Where the disks are.'),
    performance: z
      .object({
        priority: choice(['Low', 'High', 'Normal'], 'Priority of the copy.').default('Normal'),
        concurrentDisks: count('Disks that are copied at a time.', 1, 10).default(2),
        ioThrottling: flag('Whether the copy is slowed down.').default(false),
        maxIOPS: count('Most operations per second.', 100, 100_000),
      })
      .partial()
      .describe('How fast it may be.'),
  })
  .partial()
  .describe('How it is made.');

export const vmCloneSpecSchema = z
  .object({
    source: z
      .object({
        vmRef: localRef('VirtualMachine.'),
        snapshotRef: localRef('VMSnapshot.'),
        imageRef: ref('VMImage.'),
        templateRef: ref('Template.'),
      })
      .partial()
      .describe('What it is made from.'),
    target,
    options: options.optional(),
    customization: customizationSchema.optional(),
    metadata: z
      .object({
        purpose: choice(['backup', 'testing', 'migration', 'development', 'production', 'staging'], 'What it is for.'),
        project: upTo(255, 'Project that it belongs to.'),
        environment: choice(environments, 'Environment that it belongs to.'),
        createdBy: upTo(255, 'Who wants it.'),
        tags: map('Tags.', 50),
      })
      .partial()
      .describe('What people should know of it.')
      .optional(),
  })
  .describe('A clone.');

export const clonePhases = [
  'Pending',
  'Preparing',
  'Cloning',
  'Customizing',
  'Powering-On',
  'Ready',
  'Failed',
] as const;

const percentage = (description: string) => count(description, 0, 100);

export const vmCloneStatusSchema = z
  .object({
    observedGeneration,
    phase: choice(clonePhases, 'Phase of the clone.'),
    message,
    targetRef: localRef('VirtualMachine that was made.'),
    targetVMID: text('Id at the hypervisor.'),
    taskRef: text('Task of the provider that runs.'),
    actualCloneType: choice(cloneTypes, 'Type that was made.'),
    startTime: time('When it began.'),
    completionTime: time('When it was complete.'),
    retryCount: count('How often it was tried again.'),
    lastRetryTime: time('When it was last tried again.'),
    progress: z
      .object({
        overallPercentage: percentage('Part that is done, in percent.'),
        totalDisks: count('Disks in all.'),
        completedDisks: count('Disks that are done.'),
        currentDisk: z
          .object({
            name: text('Name of the disk.'),
            totalBytes: bigCount('Bytes in all.').optional(),
            completedBytes: bigCount('Bytes that are done.').optional(),
            percentage: percentage('Part that is done, in percent.').optional(),
            transferRate: bigCount('Bytes per second.').optional(),
          })
          .describe('Disk that is copied.'),
        eta,
      })
      .partial()
      .describe('How far it is.'),
    customizationStatus: z
      .object({
        started: flag('Whether it has begun.'),
        completed: flag('Whether it is done.'),
        currentStep: text('Step that runs.'),
        completedSteps: texts('Steps that are done.'),
        failedSteps: texts('Steps that failed.'),
        message,
      })
      .partial()
      .describe('How far the changes in the guest are.'),
    conditions: conditions(),
  })
  .partial()
  .describe('The clone as it is.');

export const vmCloneDefinition: KindDefinition = {
  ...machineKinds.clone,
  scope: 'Namespaced',
  shortNames: ['vmclone'],
  categories: ['poolwright'],
  description: 'A new virtual machine from another one.',
  spec: vmCloneSpecSchema,
  specRequired: false,
  status: vmCloneStatusSchema,
  columns: [
    { name: 'Source', type: 'string', jsonPath: '.spec.source.vmRef.name', description: 'Machine that is cloned.' },
    { name: 'Target', type: 'string', jsonPath: '.spec.target.name', description: 'New machine.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Phase of the clone.' },
    { name: 'Type', type: 'string', jsonPath: '.status.actualCloneType', description: 'Type that was made.' },
    {
      name: 'Progress',
      type: 'string',
      jsonPath: '.status.progress.overallPercentage',
      description: 'Part that is done, in percent.',
    },
    ageColumn,
  ],
};
