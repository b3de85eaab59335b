/** Generated from provider.proto by `npm run generate`. */

export type ValidateRequest = Record<string, never>;

export interface ValidateResponse {
  ok: boolean;
  message: string;
}

export interface CreateRequest {
  name: string;
  userData: Uint8Array;
  classJson: string;
  imageJson: string;
  networksJson: string;
  disksJson: string;
  placementJson: string;
  tags: string[];
  metaData: Uint8Array;
}

export interface CreateResponse {
  id: string;
  task: TaskRef | undefined;
}

export interface TaskRef {
  id: string;
}

export interface DeleteRequest {
  id: string;
}

export interface TaskResponse {
  task: TaskRef | undefined;
}

export interface PowerRequest {
  id: string;
  op: PowerOp;
  gracefulTimeoutSeconds: number;
}

export type PowerOp = 'POWER_OP_UNSPECIFIED' | 'POWER_OP_ON' | 'POWER_OP_OFF' | 'POWER_OP_REBOOT' | 'POWER_OP_SHUTDOWN_GRACEFUL';

export interface ReconfigureRequest {
  id: string;
  desiredJson: string;
}

export interface HardwareUpgradeRequest {
  id: string;
  targetVersion: number;
}

export interface DescribeRequest {
  id: string;
}

export interface DescribeResponse {
  exists: boolean;
  powerState: string;
  ips: string[];
  consoleUrl: string;
  providerRawJson: string;
}

export interface TaskStatusRequest {
  task: TaskRef | undefined;
}

export interface TaskStatusResponse {
  done: boolean;
  error: string;
}

export interface SnapshotCreateRequest {
  vmId: string;
  nameHint: string;
  includeMemory: boolean;
  description: string;
}

export interface SnapshotCreateResponse {
  snapshotId: string;
  task: TaskRef | undefined;
}

export interface SnapshotDeleteRequest {
  vmId: string;
  snapshotId: string;
}

export interface SnapshotRevertRequest {
  vmId: string;
  snapshotId: string;
}

export interface CloneRequest {
  sourceVmId: string;
  targetName: string;
  linked: boolean;
  classJson: string;
  placementJson: string;
  customizeJson: string;
}

export interface CloneResponse {
  targetVmId: string;
  task: TaskRef | undefined;
}

export interface ImagePrepareRequest {
  imageJson: string;
  targetName: string;
  storageHint: string;
}

export interface ImagePrepareResponse {
  task: TaskRef | undefined;
  preparedImageId: string;
  preparedImagePath: string;
}

export type GetCapabilitiesRequest = Record<string, never>;

export interface GetCapabilitiesResponse {
  supportsReconfigureOnline: boolean;
  supportsDiskExpansionOnline: boolean;
  supportsSnapshots: boolean;
  supportsMemorySnapshots: boolean;
  supportsLinkedClones: boolean;
  supportsImageImport: boolean;
  supportedDiskTypes: string[];
  supportedNetworkTypes: string[];
  supportsDiskExport: boolean;
  supportsDiskImport: boolean;
  supportedExportFormats: string[];
  supportedImportFormats: string[];
  supportsExportCompression: boolean;
  supportedExportBackends: string[];
  supportedImportBackends: string[];
  supportedTransferModes: string[];
  keepsTags: boolean;
  createsByName: boolean;
}

export interface ExportDiskRequest {
  vmId: string;
  diskId: string;
  snapshotId: string;
  destinationUrl: string;
  format: string;
  compress: boolean;
  credentials: Record<string, string>;
  backendType: string;
  transferMode: string;
  storageOptionsJson: string;
}

export interface ExportDiskResponse {
  exportId: string;
  task: TaskRef | undefined;
  estimatedSizeBytes: number;
  checksum: string;
}

export interface ImportDiskRequest {
  sourceUrl: string;
  storageHint: string;
  format: string;
  targetName: string;
  verifyChecksum: boolean;
  expectedChecksum: string;
  credentials: Record<string, string>;
  backendType: string;
  transferMode: string;
  storageOptionsJson: string;
}

export interface ImportDiskResponse {
  diskId: string;
  path: string;
  task: TaskRef | undefined;
  actualSizeBytes: number;
  checksum: string;
}

export interface GetDiskInfoRequest {
  vmId: string;
  diskId: string;
  snapshotId: string;
}

export interface GetDiskInfoResponse {
  diskId: string;
  format: string;
  virtualSizeBytes: number;
  actualSizeBytes: number;
  path: string;
  isBootable: boolean;
  snapshots: string[];
  backingFile: string;
  metadata: Record<string, string>;
}

export type ListVMsRequest = Record<string, never>;

export interface ListVMsResponse {
  vms: VMInfo[];
}

export interface VMInfo {
  id: string;
  name: string;
  powerState: string;
  ips: string[];
  cpu: number;
  memoryMib: number;
  disks: DiskInfo[];
  networks: NetworkInfo[];
  providerRaw: Record<string, string>;
}

export interface DiskInfo {
  id: string;
  path: string;
  sizeGib: number;
  format: string;
}

export interface NetworkInfo {
  name: string;
  mac: string;
  ipAddress: string;
}

/** What each call takes and answers. */
export interface ProviderCalls {
  Validate: { request: ValidateRequest; response: ValidateResponse };
  Create: { request: CreateRequest; response: CreateResponse };
  Delete: { request: DeleteRequest; response: TaskResponse };
  Power: { request: PowerRequest; response: TaskResponse };
  Reconfigure: { request: ReconfigureRequest; response: TaskResponse };
  HardwareUpgrade: { request: HardwareUpgradeRequest; response: TaskResponse };
  Describe: { request: DescribeRequest; response: DescribeResponse };
  TaskStatus: { request: TaskStatusRequest; response: TaskStatusResponse };
  SnapshotCreate: { request: SnapshotCreateRequest; response: SnapshotCreateResponse };
  SnapshotDelete: { request: SnapshotDeleteRequest; response: TaskResponse };
  SnapshotRevert: { request: SnapshotRevertRequest; response: TaskResponse };
  Clone: { request: CloneRequest; response: CloneResponse };
  ImagePrepare: { request: ImagePrepareRequest; response: ImagePrepareResponse };
  GetCapabilities: { request: GetCapabilitiesRequest; response: GetCapabilitiesResponse };
  ExportDisk: { request: ExportDiskRequest; response: ExportDiskResponse };
  ImportDisk: { request: ImportDiskRequest; response: ImportDiskResponse };
  GetDiskInfo: { request: GetDiskInfoRequest; response: GetDiskInfoResponse };
  ListVMs: { request: ListVMsRequest; response: ListVMsResponse };
  ListCapabilities: { request: GetCapabilitiesRequest; response: GetCapabilitiesResponse };
}
