/**
 * The Kubernetes objects that we read and write, reduced to the parts we use. Fields that are not named here stay on an
 * object as they came: whoever changes an object copies it and replaces only what it owns.
 */

/** `metadata` of any object. Times are RFC 3339 texts, as on the wire. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export const conditionStatuses = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof conditionStatuses)[number];

export interface Condition {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export type TaintEffect = (typeof taintEffects)[number];

export interface Taint {
  key: string;
  value?: string;
  effect: TaintEffect;
  timeAdded?: string;
}

export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: TaintEffect;
  tolerationSeconds?: number;
}

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
export interface NodeCondition {
  type: string;
  status: ConditionStatus;
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
}

/** core/v1 Node. */
export interface Node {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: { providerID?: string; unschedulable?: boolean; taints?: Taint[] };
  status?: { capacity?: ResourceList; allocatable?: ResourceList; conditions?: NodeCondition[] };
}
