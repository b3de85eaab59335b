import { defined } from '../../base/defined.ts';
import { isObject } from '../../base/json.ts';
import type { DiskExport, DiskImport, DiskInfo, DiskTransfer } from '../contract.ts';
import type { ExportDiskRequest, GetDiskInfoResponse, ImportDiskRequest } from '../protocol/messages.ts';
import { unlessEmpty } from './listed-machine.ts';
import { parseJson } from './parse-json.ts';

const writeTransfer = ({ format = '', backend, mode, credentials = {}, options }: DiskTransfer) => ({
  format,
  backendType: backend ?? '',
  transferMode: mode ?? '',
  credentials: { ...credentials },
  storageOptionsJson: options === undefined ? '' : JSON.stringify(options),
});

type Transfer = Pick<
  ExportDiskRequest,
  'format' | 'backendType' | 'transferMode' | 'credentials' | 'storageOptionsJson'
>;

const readTransfer = (said: Transfer): Omit<DiskTransfer, 'url'> => {
  const options = parseJson(said.storageOptionsJson, 'storage_options_json', []);
  return defined({
    format: unlessEmpty(said.format),
    backend: unlessEmpty(said.backendType) as DiskTransfer['backend'],
    mode: unlessEmpty(said.transferMode) as DiskTransfer['mode'],
    credentials: said.credentials,
    options: isObject(options) ? (options as Record<string, string>) : undefined,
  });
};

export const writeExport = (request: DiskExport): ExportDiskRequest => ({
  vmId: request.machine,
  diskId: request.disk,
  snapshotId: request.snapshot ?? '',
  destinationUrl: request.url,
  compress: request.compress,
  ...writeTransfer(request),
});

export const readExport = (said: ExportDiskRequest): DiskExport => ({
  machine: said.vmId,
  disk: said.diskId,
  url: said.destinationUrl,
  compress: said.compress,
  ...defined({ snapshot: unlessEmpty(said.snapshotId) }),
  ...readTransfer(said),
});

export const writeImport = (request: DiskImport): ImportDiskRequest => ({
  sourceUrl: request.url,
  storageHint: request.storage ?? '',
  targetName: request.name,
  verifyChecksum: request.checksum !== undefined,
  expectedChecksum: request.checksum ?? '',
  ...writeTransfer(request),
});

export const readImport = (said: ImportDiskRequest): DiskImport => ({
  url: said.sourceUrl,
  name: said.targetName,
  ...defined({
    storage: unlessEmpty(said.storageHint),
    checksum: said.verifyChecksum ? unlessEmpty(said.expectedChecksum) : undefined,
  }),
  ...readTransfer(said),
});

export const writeDiskInfo = (info: DiskInfo): GetDiskInfoResponse => ({
  diskId: info.id,
  format: info.format,
  virtualSizeBytes: info.virtualBytes,
  actualSizeBytes: info.actualBytes,
  path: info.path ?? '',
  isBootable: info.bootable,
  snapshots: [...info.snapshots],
  backingFile: info.backingFile ?? '',
  metadata: {},
});

export const readDiskInfo = (said: GetDiskInfoResponse): DiskInfo => ({
  id: said.diskId,
  format: said.format,
  virtualBytes: said.virtualSizeBytes,
  actualBytes: said.actualSizeBytes,
  bootable: said.isBootable,
  snapshots: said.snapshots,
  ...defined({ path: unlessEmpty(said.path), backingFile: unlessEmpty(said.backingFile) }),
});
