/**
 * The Kubernetes objects that we read and write. The types of Kubernetes' own objects are those of its client, as on the wire,
 * and narrower where our schemas check more. Karpenter's are reduced to the parts we use. Fields that are not named here stay
 * on an object as they came: a change copies the object and replaces only what it owns.
 */

import type {
  V1Node,
  V1NodeCondition,
  V1NodeSpec,
  V1NodeStatus,
  V1OwnerReference,
  V1Taint,
  V1Toleration,
} from '@kubernetes/client-node';
import type { Condition, ConditionStatus, ObjectMeta } from '../../../base/kubernetes/object.ts';
import type { Wire } from '../../../base/wire.ts';

export type OwnerReference = Wire<V1OwnerReference>;

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export type TaintEffect = (typeof taintEffects)[number];

export interface Taint extends Wire<V1Taint> {
  effect: TaintEffect;
}

export type Toleration = Wire<V1Toleration>;

export const requirementOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const;
export type RequirementOperator = (typeof requirementOperators)[number];

/** A requirement as it is written on a claim. The operator is plain text here: `parseRequirements` judges it. */
export interface Requirement {
  key: string;
  operator: RequirementOperator | (string & {});
  values?: string[];
  minValues?: number;
}

/** Names the object that holds the provider's half of a claim. Very old claims have an empty group. */
export interface NodeClassRef {
  group: string;
  kind: string;
  name: string;
}

/** Quantities by resource name, as on the wire (the API server also accepts bare numbers). */
export type ResourceList = Record<string, string | number>;

export interface NodeClaimSpec {
  nodeClassRef: NodeClassRef;
  requirements: Requirement[];
  resources?: { requests?: ResourceList };
  taints?: Taint[];
  startupTaints?: Taint[];
  terminationGracePeriod?: string;
  expireAfter?: string;
}

export interface NodeClaimStatus {
  nodeName?: string;
  providerID?: string;
  imageID?: string;
  capacity?: ResourceList;
  allocatable?: ResourceList;
  conditions?: Condition[];
  lastPodEventTime?: string;
}

/** `karpenter.sh/v1` NodeClaim: somebody wants one node. */
export interface NodeClaim {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: NodeClaimSpec;
  status?: NodeClaimStatus;
}

export interface NodePoolSpec {
  template: {
    metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
    spec: NodeClaimSpec;
  };
  limits?: ResourceList;
  weight?: number;
  replicas?: number;
}

/** `karpenter.sh/v1` NodePool: what makes claims. We read its template and limits. */
export interface NodePool {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: NodePoolSpec;
  status?: { resources?: ResourceList; conditions?: Condition[] };
}

/** A condition of a core/v1 Node; unlike ours it may lack a reason, and it has a heartbeat. */
export interface NodeCondition extends Wire<V1NodeCondition> {
  status: ConditionStatus;
}

export interface NodeSpec extends Wire<V1NodeSpec> {
  taints?: Taint[];
}

export interface NodeStatus extends Omit<Wire<V1NodeStatus>, 'capacity' | 'allocatable'> {
  capacity?: ResourceList;
  allocatable?: ResourceList;
  conditions?: NodeCondition[];
}

/** core/v1 Node. */
export interface Node extends Omit<Wire<V1Node>, 'status'> {
  metadata: ObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
}
