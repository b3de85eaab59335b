import type { Capabilities } from '../contract.ts';

export const mockCapabilities: Capabilities = {
  reconfigureOnline: true,
  growDiskOnline: true,
  snapshots: true,
  memorySnapshots: true,
  linkedClones: true,
  imageImport: true,
  diskExport: true,
  diskImport: true,
  exportCompression: false,
  keepsTags: true,
  createsByName: true,
  diskTypes: ['thin', 'thick'],
  networkTypes: ['bridge', 'nat'],
  exportFormats: ['qcow2'],
  importFormats: ['qcow2'],
  exportBackends: ['pvc', 'nfs', 's3'],
  importBackends: ['pvc', 'nfs', 's3'],
  transferModes: ['auto'],
};
