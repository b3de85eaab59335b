/** The kinds by their names, as a client of an API server names them. */
import type { Resource } from '../../kube/contract.ts';

export const machineGroup = 'infra.virtrigaud.io';
export const machineVersion = 'v1beta1';
export const machineApiVersion = `${machineGroup}/${machineVersion}`;

const kind = (name: string, plural: string): Resource => ({
  group: machineGroup,
  version: machineVersion,
  plural,
  kind: name,
  namespaced: true,
});

export const virtualMachines = kind('VirtualMachine', 'virtualmachines');
export const providers = kind('Provider', 'providers');
export const vmClasses = kind('VMClass', 'vmclasses');
export const vmImages = kind('VMImage', 'vmimages');
export const vmNetworkAttachments = kind('VMNetworkAttachment', 'vmnetworkattachments');
export const vmPlacementPolicies = kind('VMPlacementPolicy', 'vmplacementpolicies');
