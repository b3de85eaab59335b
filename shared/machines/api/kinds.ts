/** The kinds of virtual machines by their names: what a host needs to ask a cluster for them, without loading a schema. */

export const machineGroup = 'infra.virtrigaud.io';
export const machineVersion = 'v1beta1';
export const machineApiVersion = `${machineGroup}/${machineVersion}`;

const kind = <const K extends string, const P extends string>(name: K, plural: P) =>
  ({ group: machineGroup, version: machineVersion, kind: name, plural, namespaced: true }) as const;

export const machineKinds = {
  provider: kind('Provider', 'providers'),
  virtualMachine: kind('VirtualMachine', 'virtualmachines'),
  class: kind('VMClass', 'vmclasses'),
  image: kind('VMImage', 'vmimages'),
  network: kind('VMNetworkAttachment', 'vmnetworkattachments'),
  snapshot: kind('VMSnapshot', 'vmsnapshots'),
  clone: kind('VMClone', 'vmclones'),
  set: kind('VMSet', 'vmsets'),
  placement: kind('VMPlacementPolicy', 'vmplacementpolicies'),
  migration: kind('VMMigration', 'vmmigrations'),
} as const;
