/** VirtualMachine: a machine for its own sake, on a hypervisor behind a Provider. */
import { z } from 'zod';
import { ageColumn, type KindDefinition, readyColumn } from '../../kube/crds/definition.ts';
import { conditions, extended, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import {
  disks,
  importedDisk,
  lifecycle,
  metaData,
  networks,
  placement,
  powerStates,
  resources,
  userData,
} from './machine-parts.ts';
import {
  bigCount,
  choice,
  flag,
  list,
  localRef,
  message,
  observedGeneration,
  ref,
  texts,
  type WithConditions,
} from './parts.ts';

export const virtualMachineSpecSchema = z
  .object({
    providerRef: ref('Provider of the hypervisor that runs the machine.'),
    classRef: ref('VMClass with the size of the machine.'),
    imageRef: ref('VMImage that the machine is made from.').optional(),
    importedDisk: importedDisk.optional(),
    networks: networks.optional(),
    disks: disks.optional(),
    userData: userData.optional(),
    metaData: metaData.optional(),
    placement: placement.optional(),
    placementRef: localRef('VMPlacementPolicy of the machine.').optional(),
    powerState: choice(powerStates, 'On, Off at once, or Off after a shutdown of the guest. Default: On.').optional(),
    tags: texts('Tags at the hypervisor, where it keeps tags.', 50).optional(),
    resources: resources.optional(),
    snapshot: z
      .object({ revertToRef: localRef('VMSnapshot that the machine goes back to.') })
      .partial()
      .describe('Snapshot to go back to.')
      .optional(),
    lifecycle: lifecycle.optional(),
  })
  .describe('The machine that is wanted.');

export const machinePhases = [
  'Pending',
  'Provisioning',
  'Running',
  'Stopped',
  'Reconfiguring',
  'Deleting',
  'Failed',
] as const;

const snapshot = z.object({
  id: text('Id at the hypervisor.'),
  name: text('Name at the hypervisor.'),
  creationTime: time('When it was made.'),
  description: text('What it is for.').optional(),
  sizeBytes: bigCount('Size in bytes.').optional(),
  hasMemory: flag('Whether the memory is part of it.').optional(),
});

export const virtualMachineStatusSchema = z
  .object({
    id: text('Id at the hypervisor.'),
    phase: choice(machinePhases, 'Phase of the machine.'),
    message,
    powerState: choice(powerStates, 'Power state at the hypervisor.'),
    ips: texts('Addresses of the machine.'),
    consoleURL: text('Address of the console.'),
    observedGeneration,
    lastTaskRef: text('Task of the provider that runs, or ran last.'),
    reconfigureTaskRef: text('Task of the reconfiguration that runs.'),
    lastReconfigureTime: time('When the machine was last reconfigured.'),
    currentResources: resources,
    provider: extended(z.record(z.string(), z.string()), {
      description: 'What the provider says besides.',
      'x-kubernetes-preserve-unknown-fields': true,
    }),
    snapshots: list(snapshot, 'Snapshots of the machine.'),
    conditions: conditions(),
  })
  .partial()
  .describe('The machine as it is.');

export type VirtualMachineSpec = z.input<typeof virtualMachineSpecSchema>;
export type VirtualMachineStatus = WithConditions<z.input<typeof virtualMachineStatusSchema>>;

export const virtualMachineDefinition: KindDefinition = {
  ...machineKinds.virtualMachine,
  scope: 'Namespaced',
  shortNames: ['vm'],
  categories: ['poolwright'],
  description: 'A virtual machine on a hypervisor.',
  spec: virtualMachineSpecSchema,
  specRequired: false,
  status: virtualMachineStatusSchema,
  columns: [
    readyColumn('Whether the machine is as it should be.'),
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Phase of the machine.' },
    { name: 'Provider', type: 'string', jsonPath: '.spec.providerRef.name', description: 'Name of its Provider.' },
    { name: 'Class', type: 'string', jsonPath: '.spec.classRef.name', description: 'Name of its VMClass.' },
    { name: 'Image', type: 'string', jsonPath: '.spec.imageRef.name', description: 'Name of its VMImage.' },
    { name: 'IPs', type: 'string', jsonPath: '.status.ips[*]', description: 'Addresses of the machine.' },
    ageColumn,
    { name: 'ID', type: 'string', jsonPath: '.status.id', description: 'Id at the hypervisor.', wide: true },
  ],
};
