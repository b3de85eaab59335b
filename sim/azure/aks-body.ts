/** Agent pools of AKS: what a PUT may say, and how ARM shows them. */
import { z } from 'zod';
import type { Json } from '../../shared/base/json.ts';
import type { JsonObject, Problem } from './answer.ts';
import type { AzureSize } from './catalog/sizes.ts';
import { nodeImageVersion } from './machines.ts';
import { type Pool, type PoolRequest, type ProvisioningState, poolId, taintFrom } from './pool.ts';

const kubernetesVersion = '1.34.2';

/** Sent back by those who read a pool, change it and write it again; ARM looks past them. */
const readOnly = ['eTag', 'provisioningState', 'currentOrchestratorVersion', 'nodeImageVersion', 'status'];

const texts = z.record(z.string(), z.string());
const object = z.record(z.string(), z.json());

/** Fields of the API version that the SDK speaks. Others are refused: a misspelled one would quietly do nothing. */
const propertiesSchema = z.strictObject({
  count: z.number().int().min(0).max(1000).optional(),
  vmSize: z.string().optional(),
  osDiskSizeGB: z.number().int().min(0).max(2048).optional(),
  osDiskType: z.enum(['Managed', 'Ephemeral']).optional(),
  kubeletDiskType: z.enum(['OS', 'Temporary']).optional(),
  workloadRuntime: z.string().optional(),
  messageOfTheDay: z.string().optional(),
  vnetSubnetID: z.string().optional(),
  podSubnetID: z.string().optional(),
  podIPAllocationMode: z.string().optional(),
  maxPods: z.number().int().min(10).max(250).optional(),
  osType: z.enum(['Linux', 'Windows']).optional(),
  osSKU: z
    .enum([
      'Ubuntu',
      'Ubuntu2204',
      'Ubuntu2404',
      'AzureLinux',
      'AzureLinux3',
      'CBLMariner',
      'Windows2019',
      'Windows2022',
    ])
    .optional(),
  maxCount: z.number().int().optional(),
  minCount: z.number().int().optional(),
  enableAutoScaling: z.boolean().optional(),
  scaleDownMode: z.enum(['Delete', 'Deallocate']).optional(),
  type: z.enum(['VirtualMachineScaleSets', 'AvailabilitySet', 'VirtualMachines']).optional(),
  mode: z.enum(['System', 'User', 'Gateway', 'Machines']).optional(),
  orchestratorVersion: z.string().optional(),
  upgradeSettings: object.optional(),
  powerState: object.optional(),
  availabilityZones: z.array(z.enum(['1', '2', '3'])).optional(),
  enableNodePublicIP: z.boolean().optional(),
  nodePublicIPPrefixID: z.string().optional(),
  scaleSetPriority: z.enum(['Regular', 'Spot']).optional(),
  scaleSetEvictionPolicy: z.enum(['Delete', 'Deallocate']).optional(),
  spotMaxPrice: z.number().optional(),
  tags: texts.optional(),
  nodeLabels: texts.optional(),
  nodeTaints: z.array(z.string()).optional(),
  proximityPlacementGroupID: z.string().optional(),
  kubeletConfig: object.optional(),
  linuxOSConfig: object.optional(),
  enableEncryptionAtHost: z.boolean().optional(),
  enableUltraSSD: z.boolean().optional(),
  enableFIPS: z.boolean().optional(),
  gpuInstanceProfile: z.string().optional(),
  creationData: object.optional(),
  capacityReservationGroupID: z.string().optional(),
  hostGroupID: z.string().optional(),
  networkProfile: object.optional(),
  windowsProfile: object.optional(),
  securityProfile: object.optional(),
  gpuProfile: z.strictObject({ driver: z.enum(['Install', 'None']).exactOptional() }).optional(),
  gatewayProfile: object.optional(),
  artifactStreamingProfile: object.optional(),
  virtualMachinesProfile: object.optional(),
  virtualMachineNodesStatus: z.array(z.json()).optional(),
  localDNSProfile: object.optional(),
});

const bodySchema = z.object({ properties: z.record(z.string(), z.json()).default({}) });

const immutable = [
  'vmSize',
  'osType',
  'osDiskSizeGB',
  'osDiskType',
  'availabilityZones',
  'maxPods',
  'vnetSubnetID',
  'scaleSetPriority',
  'enableFIPS',
  'type',
] as const;

const spotTaint = 'kubernetes.azure.com/scalesetpriority=spot:NoSchedule';

const invalid = (target: string, message: string): { problem: Problem } => ({
  problem: { code: 'InvalidParameter', message, target },
});

/** Lower-case letters and digits, a letter first, at most twelve for Linux. */
export function checkAksName(name: string): Problem | undefined {
  if (/^[a-z][a-z0-9]{0,11}$/.test(name)) return undefined;
  return {
    code: 'InvalidParameter',
    message:
      `The value of parameter agentPoolProfile.name is invalid. Error details: agent pool name ${name} is invalid, the valid ` +
      'value should match regex ^[a-z][a-z0-9]{0,11}$. Please see https://aka.ms/aks-naming-rules for more details.',
    target: 'agentPoolProfile.name',
  };
}

export function aksRequest(
  body: unknown,
  sizes: ReadonlyMap<string, AzureSize>,
  location: string,
  existing: Pool | undefined,
): { request: PoolRequest } | { problem: Problem } {
  const parsed = bodySchema.safeParse(body);
  const sent = parsed.success ? parsed.data.properties : undefined;
  const given = propertiesSchema.safeParse(
    sent === undefined
      ? undefined
      : Object.fromEntries(Object.entries(sent).filter(([key]) => !readOnly.includes(key))),
  );
  if (!given.success) {
    const [issue] = given.error.issues;
    const where = ['properties', ...(issue?.path ?? [])].join('.');
    const message = `UnmarshalEntity encountered error: ${where}: ${issue?.message}.`;
    return { problem: { code: 'UnmarshalError', message, target: where } };
  }
  const properties: JsonObject = withoutUndefined({
    count: 1,
    osType: 'Linux',
    osSKU: 'Ubuntu',
    type: 'VirtualMachineScaleSets',
    mode: 'User',
    maxPods: 110,
    osDiskSizeGB: 128,
    osDiskType: 'Managed',
    ...(existing?.request.properties ?? {}),
    ...given.data,
  });
  const vmSize = String(properties.vmSize ?? '');
  const size = sizes.get(vmSize.toLowerCase());
  if (vmSize === '') return invalid('properties.vmSize', 'The value of parameter properties.vmSize is required.');
  if (size === undefined || size.restricted === 'subscription') {
    return {
      problem: {
        code: 'BadRequest',
        subcode: 'VMSizeNotSupported',
        message: `The VM size of ${vmSize} is not allowed in your subscription in location '${location}'.`,
        target: 'properties.vmSize',
      },
    };
  }
  const changed = existing === undefined ? undefined : changedImmutable(existing.request.properties, properties);
  if (changed !== undefined) return { problem: changed };
  const zones = (properties.availabilityZones ?? []) as string[];
  const missingZone = zones.find((zone) => !size.zones.includes(zone));
  if (missingZone !== undefined) {
    const message = `The zone(s) '${missingZone}' for resource 'agentPoolProfile' is not supported. The supported zones for location '${location}' are '${size.zones.join(',')}'.`;
    return { problem: { code: 'AvailabilityZoneNotSupported', message, target: 'properties.availabilityZones' } };
  }
  const spot = properties.scaleSetPriority === 'Spot';
  if (spot && !size.spot) {
    const message = `The VM size ${vmSize} can't be used for spot pools: it is not LowPriorityCapable.`;
    return { problem: { code: 'BadRequest', message, target: 'properties.scaleSetPriority' } };
  }
  const asked = [...((properties.nodeTaints ?? []) as string[])];
  // AKS keeps ordinary pods off spot machines, whatever was asked for.
  if (spot && !asked.includes(spotTaint)) asked.push(spotTaint);
  if (asked.length > 0) properties.nodeTaints = asked;
  const wrongTaint = asked.find((taint) => taintFrom(taint) === undefined);
  if (wrongTaint !== undefined) {
    return invalid('properties.nodeTaints', `The taint '${wrongTaint}' must have the form key=value:Effect.`);
  }
  const wrongTag = Object.keys((properties.tags ?? {}) as object).find((name) => /[<>%&\\?/]/.test(name));
  if (wrongTag !== undefined) {
    const message = `The tag name '${wrongTag}' has characters that are not allowed: <,>,%,&,\\,?,/.`;
    return { problem: { code: 'InvalidTagNameCharacters', message, target: 'properties.tags' } };
  }
  return {
    request: {
      properties,
      tags: (properties.tags ?? {}) as Record<string, string>,
      vmSize: size.name,
      count: properties.count as number,
      labels: (properties.nodeLabels ?? {}) as Record<string, string>,
      taints: asked.flatMap((text) => taintFrom(text) ?? []),
      zone: zones[0] ?? '',
      capacityType: spot ? 'spot' : 'on-demand',
    },
  };
}

function changedImmutable(before: JsonObject, after: JsonObject): Problem | undefined {
  const field = immutable.find((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (field === undefined) return undefined;
  const target = `properties.${field}`;
  return { code: 'PropertyChangeNotAllowed', message: `Changing property '${target}' is not allowed.`, target };
}

const withoutUndefined = (given: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(given).filter((entry): entry is [string, Json] => entry[1] !== undefined));

export function aksWire(pool: Pool, state: ProvisioningState): JsonObject {
  const { problem, request } = pool;
  return {
    id: poolId(pool),
    name: pool.name,
    type: 'Microsoft.ContainerService/managedClusters/agentPools',
    properties: {
      ...request.properties,
      count: request.count,
      eTag: pool.etag,
      provisioningState: state,
      powerState: { code: 'Running' },
      orchestratorVersion: kubernetesVersion,
      currentOrchestratorVersion: kubernetesVersion,
      nodeImageVersion: nodeImageVersion(pool),
      enableAutoScaling: request.properties.enableAutoScaling ?? false,
      ...(problem === undefined
        ? {}
        : { status: { provisioningError: { code: problem.code, message: problem.message } } }),
    },
  };
}
