/** The kinds of virtual machines, as they are installed where VirtRigaud's own definitions are not. */
import type { KindDefinition } from '../../kube/crds/definition.ts';
import { providerDefinition } from './provider.ts';
import { virtualMachineDefinition } from './virtual-machine.ts';
import { vmClassDefinition } from './vm-class.ts';
import { vmCloneDefinition } from './vm-clone.ts';
import { vmImageDefinition } from './vm-image.ts';
import { vmMigrationDefinition } from './vm-migration.ts';
import { vmNetworkAttachmentDefinition } from './vm-network-attachment.ts';
import { vmPlacementPolicyDefinition } from './vm-placement-policy.ts';
import { vmSetDefinition } from './vm-set.ts';
import { vmSnapshotDefinition } from './vm-snapshot.ts';

export const machineDefinitions: readonly KindDefinition[] = [
  providerDefinition,
  virtualMachineDefinition,
  vmClassDefinition,
  vmImageDefinition,
  vmNetworkAttachmentDefinition,
  vmSnapshotDefinition,
  vmCloneDefinition,
  vmSetDefinition,
  vmPlacementPolicyDefinition,
  vmMigrationDefinition,
];
