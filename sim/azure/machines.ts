/** The machines of agent pools: their names, their labels and their providerIDs, as AKS and Arc have them. */
import { createHash } from 'node:crypto';
import { labels as labelKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { CatalogType } from '../cloud/catalog.ts';
import type { InstanceRecord } from '../cloud/instance.ts';
import type { MachineIdentity } from '../cloud/node-object.ts';
import { planFor } from '../cloud/plan.ts';
import { defaultSettings as cloudDefaults } from '../cloud/settings.ts';
import type { MachineFault } from '../kit/faults.ts';
import { machineGroup } from './clusters.ts';
import { type Pool, zoneLabel } from './pool.ts';
import type { AzureSettings } from './settings.ts';

/** A machine that runs from now on. */
export function machineOf(
  pool: Pool,
  index: number,
  settings: AzureSettings,
  faults: readonly MachineFault[],
  at: number,
): InstanceRecord {
  const { request } = pool;
  const asked = {
    name: pool.name,
    instanceType: request.vmSize,
    zone: zoneLabel(pool.cluster, request.zone),
    capacityType: request.capacityType,
    tags: request.tags,
    labels: request.labels,
    taints: request.taints,
    image: imageOf(pool),
  };
  // Whether it runs at all is for the pool's operation to say.
  const ownFaults = faults.filter(({ kind }) => kind !== 'never-running' && kind !== 'operation-fails');
  return {
    seq: pool.seq,
    id: machineName(pool, index),
    request: asked,
    price: pool.price,
    plan: planFor(asked, { ...cloudDefaults, ...settings, quota: null, bootSeconds: 0 }, ownFaults, at),
    createdAt: at,
    runningAt: at,
    deletingAt: null,
    deleteDueAt: null,
    goneAt: null,
    whyGone: null,
    nodeStage: 'none',
  };
}

/** A name of AKS comes again with the next pool of the same name; one of Arc does not. */
function machineName(pool: Pool, index: number): string {
  if (pool.cluster.kind === 'arc') return `moc-${short(pool, `machine-${index}`)}`;
  return `${scaleSet(pool)}${index.toString(36).padStart(6, '0')}`;
}

const scaleSet = ({ cluster, name }: Pool): string => `aks-${name}-${cluster.mark}-vmss`;

const short = (pool: Pool, what: string): string =>
  createHash('sha256').update(`${pool.cluster.id}/${pool.seq}/${what}`).digest('hex').slice(0, 8);

const imageOf = (pool: Pool): string =>
  pool.cluster.kind === 'arc'
    ? 'CBLMariner-2.0'
    : `AKS${pool.request.properties.osSKU === 'AzureLinux' ? 'AzureLinux-V3' : 'Ubuntu-2204'}gen2containerd-202610.27.0`;

export const nodeImageVersion = imageOf;

/** The ARM id of a machine of AKS. */
export const machineResourceId = (pool: Pool, index: number): string =>
  `/subscriptions/${pool.cluster.subscription}/resourceGroups/${machineGroup(pool.cluster)}/providers/` +
  `Microsoft.Compute/virtualMachineScaleSets/${scaleSet(pool)}/virtualMachines/${index}`;

export function identityOf(pool: Pool, record: InstanceRecord, type: CatalogType): MachineIdentity {
  return pool.cluster.kind === 'aks' ? aksIdentity(pool, record, type) : arcIdentity(pool, record, type);
}

function aksIdentity(pool: Pool, record: InstanceRecord, type: CatalogType): MachineIdentity {
  const { cluster, request } = pool;
  const index = pool.machines.indexOf(record);
  return {
    providerID: `azure://${machineResourceId(pool, Math.max(0, index))}`,
    labels: {
      ...commonLabels(type),
      [labelKeys.region]: cluster.location,
      // A machine outside of all zones shows its fault domain there.
      [labelKeys.zone]: record.request.zone === '' ? '0' : record.request.zone,
      agentpool: pool.name,
      'kubernetes.azure.com/agentpool': pool.name,
      'kubernetes.azure.com/cluster': machineGroup(cluster),
      'kubernetes.azure.com/mode': 'user',
      'kubernetes.azure.com/role': 'agent',
      'kubernetes.azure.com/node-image-version': imageOf(pool),
      'kubernetes.azure.com/os-sku': String(request.properties.osSKU ?? 'Ubuntu'),
      ...(request.capacityType === 'spot' ? { 'kubernetes.azure.com/scalesetpriority': 'spot' } : {}),
      ...(type.gpus === 0 ? {} : { accelerator: 'nvidia', 'kubernetes.azure.com/accelerator': 'nvidia' }),
    },
  };
}

function arcIdentity(pool: Pool, record: InstanceRecord, type: CatalogType): MachineIdentity {
  const { cluster } = pool;
  const poolName = `${cluster.name}-${cluster.mark}-${pool.name}`;
  return {
    providerID: `moc://${poolName}-md-${short(pool, 'set').slice(0, 5)}-${record.id.slice(4, 9)}`,
    labels: { ...commonLabels(type), 'msft.microsoft/nodepool-name': poolName },
  };
}

const commonLabels = (type: CatalogType): Record<string, string> => ({
  [labelKeys.instanceType]: type.name,
  [labelKeys.arch]: type.arch,
  [labelKeys.os]: 'linux',
});
