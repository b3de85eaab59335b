/** VMSet: a number of equal machines. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, extended, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import {
  choice,
  count,
  flag,
  list,
  map,
  message,
  observedGeneration,
  ofKubernetes,
  selector,
  texts,
  upTo,
  type WithConditions,
} from './parts.ts';
import { machinePhases, virtualMachineSpecSchema } from './virtual-machine.ts';

const numberOrPercent = (description: string) =>
  extended(z.union([z.int(), z.string()]), { description, 'x-kubernetes-int-or-string': true });

const kept = (description: string) => choice(['Retain', 'Delete'], description).default('Retain');

export const vmSetSpecSchema = z
  .object({
    replicas: count('Number of machines.', 0, 1000).default(1),
    selector: selector('Labels by which its machines are found.'),
    template: z
      .object({
        metadata: z
          .object({ labels: map('Labels of the machines.'), annotations: map('Annotations of the machines.') })
          .partial()
          .describe('Labels and annotations of the machines.')
          .optional(),
        spec: virtualMachineSpecSchema,
      })
      .describe('What each machine is.'),
    minReadySeconds: count('How long a machine must be ready to count as available.', 0, 3600).optional(),
    serviceName: upTo(253, 'Service of the machines.').optional(),
    revisionHistoryLimit: count('Old templates that are kept.', 0, 100).default(10),
    ordinals: z
      .object({ start: count('First number.', 0, 999_999).default(0) })
      .partial()
      .describe('Numbers in the names of the machines.')
      .optional(),
    updateStrategy: z
      .object({
        type: choice(['RollingUpdate', 'OnDelete', 'Recreate'], 'When a new template reaches machines.').default(
          'RollingUpdate',
        ),
        rollingUpdate: z
          .object({
            maxUnavailable: numberOrPercent('Machines that may be missing.').default('25%'),
            maxSurge: numberOrPercent('Machines that may be too many.').default('25%'),
            partition: count('Machines with lower numbers keep the old template.', 0),
            podManagementPolicy: choice(['OrderedReady', 'Parallel'], 'One after the other, or all at once.').default(
              'OrderedReady',
            ),
          })
          .partial()
          .describe('How machines are replaced.'),
      })
      .partial()
      .describe('How a change of the template reaches machines.')
      .optional(),
    persistentVolumeClaimRetentionPolicy: z
      .object({
        whenDeleted: kept('What happens to volumes when the set is deleted.'),
        whenScaled: kept('What happens to volumes when there are fewer machines.'),
      })
      .partial()
      .describe('What happens to volumes.')
      .optional(),
    volumeClaimTemplates: list(
      z.object({
        metadata: ofKubernetes('Metadata of the claim.').optional(),
        spec: ofKubernetes('Spec of the claim.'),
      }),
      'Volumes of each machine.',
      20,
    ).optional(),
  })
  .describe('A set of machines.');

export const vmSetStatusSchema = z
  .object({
    observedGeneration,
    replicas: count('Machines that there are.'),
    readyReplicas: count('Machines that are ready.'),
    availableReplicas: count('Machines that have been ready for a while.'),
    currentReplicas: count('Machines with the old template.'),
    updatedReplicas: count('Machines with the new template.'),
    currentRevision: text('Old template.'),
    updateRevision: text('New template.'),
    collisionCount: count('Names that were taken.'),
    vmStatus: list(
      z.object({
        name: text('Name of the machine.'),
        phase: choice(machinePhases, 'Phase of the machine.').optional(),
        ready: flag('Whether it is ready.').optional(),
        revision: text('Its template.').optional(),
        message: message.optional(),
        creationTime: time('When it was made.').optional(),
        lastUpdateTime: time('When it was last changed.').optional(),
      }),
      'Its machines.',
      1000,
    ),
    updateStatus: z
      .object({
        phase: choice(['Pending', 'InProgress', 'Paused', 'Completed', 'Failed'], 'Phase of the update.'),
        message,
        startTime: time('When it began.'),
        completionTime: time('When it was complete.'),
        updatedVMs: texts('Machines that are done.', 1000),
        pendingVMs: texts('Machines that are left.', 1000),
        failedVMs: list(
          z.object({
            name: text('Name of the machine.'),
            reason: text('Why it failed, as a code.').optional(),
            message: message.optional(),
            lastAttempt: time('When it was last tried.').optional(),
            retryCount: count('How often it was tried again.').optional(),
          }),
          'Machines that failed.',
          1000,
        ),
      })
      .partial()
      .describe('How far an update is.'),
    conditions: conditions(),
  })
  .partial()
  .describe('The set as it is.');

export type VMSetSpec = z.input<typeof vmSetSpecSchema>;
export type VMSetStatus = WithConditions<z.input<typeof vmSetStatusSchema>>;

export const vmSetDefinition: KindDefinition = {
  ...machineKinds.set,
  scope: 'Namespaced',
  shortNames: ['vmset'],
  categories: ['poolwright'],
  description: 'A number of equal virtual machines.',
  spec: vmSetSpecSchema,
  specRequired: false,
  status: vmSetStatusSchema,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', description: 'Number of machines.' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas', description: 'Machines that there are.' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas', description: 'Machines that are ready.' },
    {
      name: 'Updated',
      type: 'integer',
      jsonPath: '.status.updatedReplicas',
      description: 'Machines with the new template.',
    },
    ageColumn,
  ],
};
