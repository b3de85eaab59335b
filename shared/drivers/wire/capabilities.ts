import type { Capabilities } from '../contract.ts';
import type { GetCapabilitiesResponse } from '../protocol/messages.ts';

export const writeCapabilities = (has: Capabilities): GetCapabilitiesResponse => ({
  supportsReconfigureOnline: has.reconfigureOnline,
  supportsDiskExpansionOnline: has.growDiskOnline,
  supportsSnapshots: has.snapshots,
  supportsMemorySnapshots: has.memorySnapshots,
  supportsLinkedClones: has.linkedClones,
  supportsImageImport: has.imageImport,
  supportedDiskTypes: [...has.diskTypes],
  supportedNetworkTypes: [...has.networkTypes],
  supportsDiskExport: has.diskExport,
  supportsDiskImport: has.diskImport,
  supportedExportFormats: [...has.exportFormats],
  supportedImportFormats: [...has.importFormats],
  supportsExportCompression: has.exportCompression,
  supportedExportBackends: [...has.exportBackends],
  supportedImportBackends: [...has.importBackends],
  supportedTransferModes: [...has.transferModes],
  keepsTags: has.keepsTags,
  createsByName: has.createsByName,
});

export const readCapabilities = (said: GetCapabilitiesResponse): Capabilities => ({
  reconfigureOnline: said.supportsReconfigureOnline,
  growDiskOnline: said.supportsDiskExpansionOnline,
  snapshots: said.supportsSnapshots,
  memorySnapshots: said.supportsMemorySnapshots,
  linkedClones: said.supportsLinkedClones,
  imageImport: said.supportsImageImport,
  diskTypes: said.supportedDiskTypes,
  networkTypes: said.supportedNetworkTypes,
  diskExport: said.supportsDiskExport,
  diskImport: said.supportsDiskImport,
  exportFormats: said.supportedExportFormats,
  importFormats: said.supportedImportFormats,
  exportCompression: said.supportsExportCompression,
  keepsTags: said.keepsTags,
  createsByName: said.createsByName,
  exportBackends: said.supportedExportBackends,
  importBackends: said.supportedImportBackends,
  transferModes: said.supportedTransferModes,
});
