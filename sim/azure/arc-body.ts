/** Agent pools of Microsoft.HybridContainerService: what a PUT may say, and how ARM shows them. */
import { z } from 'zod';
import type { JsonObject, Problem } from './answer.ts';
import type { ArcSize } from './catalog/sizes.ts';
import type { AzureCluster } from './clusters.ts';
import { type Pool, type PoolRequest, type ProvisioningState, poolId, taintFrom } from './pool.ts';

const kubernetesVersion = '1.30.4';
const readOnly = ['provisioningState', 'kubernetesVersion', 'status'];

const texts = z.record(z.string(), z.string());

const propertiesSchema = z.strictObject({
  count: z.number().int().min(0).max(200).default(1),
  vmSize: z.string().default('Standard_K8S3_v1'),
  osType: z.enum(['Linux', 'Windows']).default('Linux'),
  osSKU: z.enum(['CBLMariner', 'Windows2019', 'Windows2022']).exactOptional(),
  nodeLabels: texts.exactOptional(),
  nodeTaints: z.array(z.string()).exactOptional(),
  enableAutoScaling: z.boolean().exactOptional(),
  minCount: z.number().int().exactOptional(),
  maxCount: z.number().int().exactOptional(),
  maxPods: z.number().int().min(10).max(250).exactOptional(),
});

const bodySchema = z.object({
  properties: z.record(z.string(), z.json()).default({}),
  tags: texts.default({}),
  extendedLocation: z.object({ type: z.string(), name: z.string() }).optional(),
});

/** Three to twelve: shorter ones are good in AKS only. */
export function checkArcName(name: string): Problem | undefined {
  if (/^[a-z][a-z0-9]{2,11}$/.test(name)) return undefined;
  return {
    code: 'InvalidParameter',
    message: `The agent pool name '${name}' is invalid: it must match ^[a-z][a-z0-9]{2,11}$.`,
    target: 'agentPoolName',
  };
}

export function arcRequest(
  body: unknown,
  cluster: AzureCluster,
  sizes: ReadonlyMap<string, ArcSize>,
  existing: Pool | undefined,
): { request: PoolRequest } | { problem: Problem } {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) return malformed(parsed.error, '');
  const { extendedLocation, tags } = parsed.data;
  const writable = Object.entries(parsed.data.properties).filter(([key]) => !readOnly.includes(key));
  const given = propertiesSchema.safeParse(Object.fromEntries(writable));
  if (!given.success) return malformed(given.error, 'properties.');
  if (cluster.customLocation === undefined) {
    const message = `The connected cluster ${cluster.name} has no custom location: agent pools can't be created in it.`;
    return { problem: { code: 'CustomLocationNotFound', message, target: 'extendedLocation' } };
  }
  if (extendedLocation !== undefined && extendedLocation.name.toLowerCase() !== cluster.customLocation.toLowerCase()) {
    const message = `The extended location ${extendedLocation.name} is not the one of the cluster.`;
    return { problem: { code: 'InvalidExtendedLocation', message, target: 'extendedLocation.name' } };
  }
  const properties: JsonObject = { ...given.data };
  const size = sizes.get(given.data.vmSize.toLowerCase());
  if (size === undefined) {
    const message = `The VM size ${given.data.vmSize} is not supported in the custom location of the cluster.`;
    return { problem: { code: 'InvalidVMSize', message, target: 'properties.vmSize' } };
  }
  const before = existing?.request.properties;
  const changed = (['vmSize', 'osType'] as const).find(
    (name) => before !== undefined && before[name] !== properties[name],
  );
  if (changed !== undefined) {
    const target = `properties.${changed}`;
    return {
      problem: { code: 'PropertyChangeNotAllowed', message: `Changing property '${target}' is not allowed.`, target },
    };
  }
  const wrongTaint = given.data.nodeTaints?.find((taint) => taintFrom(taint) === undefined);
  if (wrongTaint !== undefined) {
    const message = `The taint '${wrongTaint}' must have the form key=value:Effect.`;
    return { problem: { code: 'InvalidParameter', message, target: 'properties.nodeTaints' } };
  }
  return {
    request: {
      properties,
      tags,
      vmSize: size.name,
      count: given.data.count,
      labels: given.data.nodeLabels ?? {},
      taints: (given.data.nodeTaints ?? []).flatMap((text) => taintFrom(text) ?? []),
      zone: '',
      capacityType: 'on-demand',
    },
  };
}

function malformed(error: z.ZodError, prefix: string): { problem: Problem } {
  const [issue] = error.issues;
  const target = `${prefix}${issue?.path.join('.') ?? ''}`;
  return {
    problem: {
      code: 'InvalidRequestContent',
      message: `The request content was invalid and could not be deserialized: '${target}: ${issue?.message}'.`,
      target,
    },
  };
}

export function arcWire(pool: Pool, state: ProvisioningState): JsonObject {
  const { cluster, request, problem } = pool;
  const ready = state === 'Succeeded' ? request.count : 0;
  return {
    id: poolId(pool),
    name: pool.name,
    type: 'Microsoft.HybridContainerService/provisionedClusterInstances/agentPools',
    ...(cluster.customLocation === undefined
      ? {}
      : { extendedLocation: { type: 'CustomLocation', name: cluster.customLocation } }),
    tags: request.tags,
    properties: {
      ...request.properties,
      provisioningState: state,
      kubernetesVersion,
      status: {
        currentState: state,
        ...(problem === undefined ? {} : { errorMessage: `${problem.code}: ${problem.message}` }),
        readyReplicas: [{ count: ready, vmSize: request.vmSize, kubernetesVersion }],
      },
    },
  };
}
