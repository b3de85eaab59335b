/** What Kubernetes objects of every kind have: their metadata, and the conditions in their status. */
import type { V1Condition, V1ObjectMeta } from '@kubernetes/client-node';
import type { Wire } from '../wire.ts';

/** `metadata` of any object that is stored. */
export interface ObjectMeta extends Wire<V1ObjectMeta> {
  name: string;
  uid: string;
}

export const conditionStatuses = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof conditionStatuses)[number];

export interface Condition extends Wire<V1Condition> {
  status: ConditionStatus;
}
