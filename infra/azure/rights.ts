/**
 * Every right that Poolwright needs in Azure, and why: the roles of the providers (`azure-roles.ts` in their folders) and Azure's own for
 * data. The role definitions that Bicep deploys (`roles.json`) and the page in docs/ are made from it, and a test holds it against the code.
 */
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AzureRoles } from '../../shared/platforms/azure/role.ts';

const repository = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

export const azureRoles: AzureRoles = Object.assign(
  {},
  ...globSync('shared/providers/*/azure-roles.ts', { cwd: repository })
    .sort()
    .map((file) => (require(join(repository, file)) as { roles: AzureRoles }).roles),
);

/** A role of Azure's own: there is none smaller that can be given for data. */
export interface DataRole {
  readonly title: string;
  /** The id that every Azure tenant knows it by. */
  readonly id: string;
  readonly on: string;
  readonly why: string;
}

export type DataRoleName =
  | 'storageBlobDataOwner'
  | 'storageQueueDataContributor'
  | 'storageTableDataContributor'
  | 'serviceBusDataSender'
  | 'serviceBusDataReceiver'
  | 'keyVaultSecretsUser'
  | 'monitoringMetricsPublisher';

export const dataRoles: Record<DataRoleName, DataRole> = {
  storageBlobDataOwner: {
    title: 'Storage Blob Data Owner',
    id: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b',
    on: 'the storage account',
    why: 'the Functions host keeps its locks and timers in blobs, Durable Functions its leases and large payloads, and the package lies there',
  },
  storageQueueDataContributor: {
    title: 'Storage Queue Data Contributor',
    id: '974c5e8b-45b9-4653-ba55-5f855dd0fb88',
    on: 'the storage account',
    why: 'the queues of Durable Functions',
  },
  storageTableDataContributor: {
    title: 'Storage Table Data Contributor',
    id: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3',
    on: 'the storage account',
    why: 'the state, and the histories of Durable Functions',
  },
  serviceBusDataSender: {
    title: 'Azure Service Bus Data Sender',
    id: '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39',
    on: 'the queue of events',
    why: 'sources send events; what is tried later is sent as a copy',
  },
  serviceBusDataReceiver: {
    title: 'Azure Service Bus Data Receiver',
    id: '4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0',
    on: 'the queue of events',
    why: 'the trigger receives events; dead letters are listed and replayed',
  },
  keyVaultSecretsUser: {
    title: 'Key Vault Secrets User',
    id: '4633458b-17de-408a-b874-0445c86b69e6',
    on: 'the key vault',
    why: 'app settings refer to secrets',
  },
  monitoringMetricsPublisher: {
    title: 'Monitoring Metrics Publisher',
    id: '3913510d-42f4-4e42-8a64-420c390055eb',
    on: 'Application Insights',
    why: 'logs and traces are sent by identity; there is no key for them',
  },
};
