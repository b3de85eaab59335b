/** Node class and node pool: they belong into the new cluster, and their kinds exist there only. */
import type { JsonObject } from '../../base/json.ts';
import type { Generation } from './context.ts';
import type { Manifest } from './manifest.ts';
import { objectNames } from './object-names.ts';

const nodeClassGroup = 'karpenter.azure.com';
/** Without it a claim with an AKSNodeClass belongs to Karpenter's own provider. */
const servedBy = 'poolwright.dev/provider';

export function nodeClass({ resolved, plain }: Generation): Manifest {
  const { nodePool: pool, name, tags } = resolved;
  const spec = {
    osDiskSizeGB: pool.osDiskSizeGB,
    ...(pool.imageFamily === undefined ? {} : { imageFamily: pool.imageFamily }),
    ...(Object.keys(tags).length === 0 ? {} : { tags: { ...tags } }),
  };
  return plain(`${nodeClassGroup}/v1beta1`, 'AKSNodeClass', objectNames(name).nodeClass, spec);
}

export function nodePool({ resolved, plain }: Generation): Manifest {
  const { nodePool: pool, nodes, name } = resolved;
  const isStatic = nodes === 'poolwright';
  const limits = Object.entries(pool.limits).map(([key, value]) => [key, String(value)] as const);
  const spec = {
    ...(isStatic ? { replicas: pool.replicas } : {}),
    template: {
      metadata: { labels: { ...pool.labels }, ...(isStatic ? { annotations: { [servedBy]: 'aks' } } : {}) },
      spec: {
        nodeClassRef: { group: nodeClassGroup, kind: 'AKSNodeClass', name: objectNames(name).nodeClass },
        requirements: requirementsOf(resolved),
        ...(pool.taints.length === 0
          ? {}
          : {
              taints: pool.taints.map(({ key, value, effect }) => ({
                key,
                ...(value === undefined ? {} : { value }),
                effect,
              })),
            }),
        expireAfter: pool.expireAfter,
      },
    },
    disruption: { consolidationPolicy: pool.consolidationPolicy, consolidateAfter: pool.consolidateAfter },
    ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
  } satisfies JsonObject;
  return plain('karpenter.sh/v1', 'NodePool', objectNames(name).nodePool, spec);
}

/**
 * A family with its generations rather than two sizes, where the request leaves that open: two sizes soon have no capacity at the same
 * time. A static pool of Poolwright makes agent pools, which have exact sizes.
 */
function requirementsOf({ nodePool: pool, nodes, location }: Generation['resolved']): JsonObject[] {
  const oneOf = (key: string, values: readonly string[]): JsonObject => ({ key, operator: 'In', values: [...values] });
  const exact = pool.exactSizes || nodes === 'poolwright';
  return [
    ...(nodes === 'nap' ? [oneOf('karpenter.azure.com/sku-family', [pool.family])] : []),
    ...(exact ? [oneOf('node.kubernetes.io/instance-type', pool.vmSizes)] : []),
    ...(!exact && pool.versions.length > 0 ? [oneOf('karpenter.azure.com/sku-version', pool.versions)] : []),
    oneOf('kubernetes.io/arch', ['amd64']),
    oneOf('kubernetes.io/os', ['linux']),
    oneOf('karpenter.sh/capacity-type', ['on-demand']),
    ...(pool.zones.length > 0
      ? [
          oneOf(
            'topology.kubernetes.io/zone',
            pool.zones.map((zone) => `${location}-${zone}`),
          ),
        ]
      : []),
  ];
}
