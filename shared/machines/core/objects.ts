/** The objects of the kinds as an API server stores them. */
import type { KubeObject } from '../../kube/contract.ts';
import type { ProviderSpec, ProviderStatus } from '../api/provider.ts';
import type { VirtualMachineSpec, VirtualMachineStatus } from '../api/virtual-machine.ts';
import type { VMClassSpec } from '../api/vm-class.ts';
import type { VMImageSpec, VMImageStatus } from '../api/vm-image.ts';
import type { VMNetworkAttachmentSpec } from '../api/vm-network-attachment.ts';
import type { VMPlacementPolicySpec } from '../api/vm-placement-policy.ts';
import type { VMSetSpec, VMSetStatus } from '../api/vm-set.ts';
import type { VMSnapshotSpec, VMSnapshotStatus } from '../api/vm-snapshot.ts';

export interface Reference {
  name: string;
  namespace?: string | undefined;
}

/** Its name and its namespace. */
export interface ObjectName {
  namespace: string;
  name: string;
}

interface Stored<Spec, Status = never> extends KubeObject {
  metadata: KubeObject['metadata'] & { namespace: string };
  spec: Spec;
  status?: Status;
}

export type VirtualMachine = Stored<VirtualMachineSpec, VirtualMachineStatus>;
export type ProviderObject = Stored<ProviderSpec, ProviderStatus>;
export type VMClass = Stored<VMClassSpec>;
export type VMImage = Stored<VMImageSpec, VMImageStatus>;
export type VMNetworkAttachment = Stored<VMNetworkAttachmentSpec>;
export type VMSet = Stored<VMSetSpec, VMSetStatus>;
export type VMSnapshot = Stored<VMSnapshotSpec, VMSnapshotStatus>;
export type VMPlacementPolicy = Stored<VMPlacementPolicySpec>;

/** An object that is named without a namespace is in that of the object that names it. */
export const nameIn = (namespace: string, { name, namespace: other = namespace }: Reference): ObjectName => ({
  namespace: other,
  name,
});
