/** What we need of the kinds that a cluster serves, whoever installed them. Apart from the schemas: a host loads no zod for it. */
import { nodeClaims, nodePools, type Resource } from '../contract.ts';

export interface NeededCrd {
  readonly resource: Resource;
  /** Fields of the schema without which we would write what the API server silently drops. */
  readonly fields: readonly string[];
  readonly subresources: readonly ('status' | 'scale')[];
  /** What does not work without it. */
  readonly purpose: string;
  /** Without a kind that is not required the rest works. */
  readonly required: boolean;
  /** The release of Karpenter whose definition has all of this. */
  readonly sinceKarpenter?: string;
}

export const neededKinds: readonly NeededCrd[] = [
  {
    resource: nodeClaims,
    fields: [
      'spec.nodeClassRef.group',
      'spec.nodeClassRef.kind',
      'spec.nodeClassRef.name',
      'spec.requirements',
      'spec.resources.requests',
      'spec.taints',
      'spec.startupTaints',
      'spec.terminationGracePeriod',
      'spec.expireAfter',
      'status.nodeName',
      'status.providerID',
      'status.imageID',
      'status.capacity',
      'status.allocatable',
      'status.conditions',
    ],
    subresources: ['status'],
    purpose: 'claims',
    required: true,
    sinceKarpenter: '1.0',
  },
  {
    resource: nodePools,
    fields: [
      'spec.template',
      'spec.replicas',
      'spec.limits',
      'spec.disruption.budgets',
      'status.nodes',
      'status.conditions',
    ],
    subresources: ['status', 'scale'],
    purpose: 'NodePools with replicas',
    required: false,
    sinceKarpenter: '1.8',
  },
];

/** A node class belongs to its provider, which knows best what stands in its spec. */
export const neededNodeClass = (kind: Omit<Resource, 'namespaced'>): NeededCrd => ({
  resource: { ...kind, namespaced: false },
  fields: [],
  subresources: [],
  purpose: `claims of the kind ${kind.kind}`,
  required: true,
});
