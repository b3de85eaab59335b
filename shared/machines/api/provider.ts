/** Provider: a hypervisor, and the process that speaks to it over gRPC. */
import { z } from 'zod';
import { ageColumn, conditionPath, type KindDefinition, readyColumn } from '../../kube/crds/definition.ts';
import { text } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import { choice, count, flag, ref, upTo, type WithConditions } from './parts.ts';
import { providerRuntimeSchema } from './provider-runtime.ts';
import { providerStatusSchema } from './provider-status.ts';

export const providerTypes = ['vsphere', 'libvirt', 'firecracker', 'qemu', 'proxmox', 'mock'] as const;

const defaults = z
  .object({
    cluster: upTo(255, 'Cluster of hosts.'),
    datastore: upTo(255, 'Datastore. It comes before storagePod.'),
    storagePod: upTo(255, 'Group of datastores of which the hypervisor takes one.'),
    folder: upTo(255, 'Folder.'),
    resourcePool: upTo(255, 'Resource pool.'),
    network: upTo(255, 'Network.'),
  })
  .partial()
  .describe('Where machines run that say nothing about it.');

const rateLimit = z
  .object({
    qps: z.int().min(1).max(1000).describe('Calls per second.').default(10),
    burst: z.int().min(1).max(2000).describe('Calls at once after a pause.').default(20),
  })
  .partial()
  .describe('How many calls the provider takes.');

const healthCheck = z
  .object({
    enabled: flag('Whether the provider is asked for its health.').default(true),
    interval: text('Time between two checks.').default('30s'),
    timeout: text('How long a check may take.').default('10s'),
    failureThreshold: count('Failed checks in a row that make it unhealthy.', 1, 10).default(3),
    successThreshold: count('Successful checks in a row that make it healthy.', 1, 10).default(1),
  })
  .partial()
  .describe('How the health of the provider is checked.');

const connectionPooling = z
  .object({
    maxConnections: count('Most connections.', 1, 100).default(10),
    maxIdleConnections: count('Most connections that are kept without use.', 1).default(5),
    connectionTimeout: text('How long a connection may take to open.').default('30s'),
    idleTimeout: text('When a connection without use is closed.').default('5m'),
  })
  .partial()
  .describe('Connections to the hypervisor.');

export const providerSpecSchema = z
  .object({
    type: choice(providerTypes, 'Kind of hypervisor.'),
    endpoint: text('Address of the hypervisor, as a URI.', { pattern: '^[a-z][a-z0-9+.-]*://.*$' }),
    credentialSecretRef: ref(
      'Secret with the credentials for the hypervisor. Only the pods of the provider read it.',
    ).optional(),
    insecureSkipVerify: flag('Whether any certificate of the hypervisor is accepted.').default(false),
    defaults: defaults.optional(),
    rateLimit: rateLimit.optional(),
    healthCheck: healthCheck.optional(),
    connectionPooling: connectionPooling.optional(),
    runtime: providerRuntimeSchema,
  })
  .describe('The hypervisor, and how its provider runs.');

export type ProviderSpec = z.input<typeof providerSpecSchema>;
export type ProviderStatus = WithConditions<z.input<typeof providerStatusSchema>>;

export const providerDefinition: KindDefinition = {
  ...machineKinds.provider,
  scope: 'Namespaced',
  shortNames: ['prov'],
  categories: ['poolwright'],
  description: 'A hypervisor behind a provider that speaks gRPC.',
  spec: providerSpecSchema,
  specRequired: false,
  status: providerStatusSchema,
  columns: [
    readyColumn('Whether machines can be made.'),
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'Kind of hypervisor.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.runtime.phase', description: 'Phase of the process.' },
    { name: 'Endpoint', type: 'string', jsonPath: '.spec.endpoint', description: 'Address of the hypervisor.' },
    { name: 'VMs', type: 'integer', jsonPath: '.status.connectedVMs', description: 'Number of machines.' },
    ageColumn,
    {
      name: 'Reason',
      type: 'string',
      jsonPath: conditionPath('Ready', 'reason'),
      description: 'Why it is, or is not, Ready.',
      wide: true,
    },
  ],
};
