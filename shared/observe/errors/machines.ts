/** What stops a VirtualMachine. */
import type { ErrorGroup } from './entry.ts';

const about = 'VirtualMachine';
const asMessage = 'Change the field as the message says.';

export const machines = {
  MachineSpecInvalid: {
    cause: 'A field of the machine or of its class has a value that means nothing.',
    cure: asMessage,
    seen: ['condition'],
    about,
  },
  MachineNameInvalid: {
    cause: 'The hypervisor does not accept the name that the machine would have.',
    cure: 'Use a shorter name or namespace, with letters, digits and dashes only.',
    more: 'The name at the hypervisor consists of the namespace, the name and eight characters that differ for each object.',
    seen: ['condition'],
    about,
  },
  MachineImageInvalid: {
    cause: 'The machine has no image, or its VMImage has no source that the provider can use.',
    cure: 'Set `spec.imageRef`, and add a source to the VMImage: a template of the hypervisor, or `http`.',
    seen: ['condition'],
    about,
  },
  MachineImageFailed: {
    cause: 'The provider could not bring the image to the hypervisor.',
    cure: 'Read the message of the provider, and change the VMImage if its source is wrong. The host tries again.',
    seen: ['condition', 'log'],
    about,
  },
  MachineNetworkInvalid: {
    cause: 'Two networks of the machine have the same name, or an address is incomplete.',
    cure: asMessage,
    seen: ['condition'],
    about,
  },
  MachineDiskInvalid: {
    cause: 'Two disks of the machine have the same name, or a disk would shrink.',
    cure: asMessage,
    more: 'A disk can only grow. To make it smaller, add another disk and copy the data.',
    seen: ['condition'],
    about,
  },
  MachineCapabilityMissing: {
    cause: 'The machine needs something that its provider does not support. The message names the capability.',
    cure: 'Change the field as the message says, or use another Provider.',
    more: 'A provider reports what it supports. `status.reportedCapabilities` of the Provider lists it.',
    seen: ['condition'],
    about,
  },
  MachinePlacementImpossible: {
    cause: 'The VMPlacementPolicy leaves no place for the machine.',
    cure: 'Change `spec.placement`, or allow more hosts, clusters or datastores in the policy.',
    seen: ['condition'],
    about,
  },
  MachineProviderChanged: {
    cause: 'The spec names another Provider than the one that has the machine.',
    cure: 'Change `spec.providerRef` back.',
    seen: ['condition'],
    about,
  },
  MachineRecordUnreadable: {
    cause: 'The annotation with the record of the machine was changed and cannot be read.',
    cure: 'Restore the annotation, or delete the object.',
    more: 'The record says what may exist at the hypervisor. Without it, Poolwright makes nothing, so that no machine is made twice.',
    seen: ['condition'],
    about,
  },
  MachineVanished: {
    cause: 'The provider no longer has the machine.',
    cure: 'None needed if the machine has an image: the host makes it again. Otherwise delete the object.',
    seen: ['condition', 'log'],
    about,
  },
  MachineRestartNeeded: {
    cause: 'The change needs a stopped machine, and nothing allows Poolwright to stop it.',
    cure: 'Set `spec.powerState` to `Off` for a while, or set the annotation `poolwright.dev/allow-restart` to `"true"`.',
    seen: ['condition'],
    about,
  },
} as const satisfies ErrorGroup;
