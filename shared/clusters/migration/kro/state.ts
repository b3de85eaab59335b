/** What objects say about themselves, as a migration asks it. Pure. */

import type { Condition } from '../../../base/kubernetes/object.ts';
import { findCondition } from '../../../kube/conditions.ts';
import { type AsoObject, isInFlight, policyOf, readyCondition } from '../../drivers/aso/condition.ts';
import type { AnyObject } from './graph.ts';
import { isOfOperator } from './kinds.ts';
import { isKroLabel, isKroManager, kroReconcile, suspended } from './marks.ts';

const asAso = (object: AnyObject): AsoObject => object as AsoObject;

/** What has no condition has nothing to wait for. */
export function isReady(object: AnyObject): boolean {
  if (isOfOperator(object)) return readyCondition(asAso(object))?.status === 'True';
  const conditions = object.status?.conditions as Condition[] | undefined;
  const ready = Array.isArray(conditions) ? findCondition(conditions, 'Ready') : undefined;
  return ready === undefined || ready.status === 'True';
}

export const isBusy = (object: AnyObject): boolean => isOfOperator(object) && isInFlight(asAso(object));

/** Nothing that happens to the object makes the operator delete anything in Azure. */
export const isDisarmed = (object: AnyObject): boolean =>
  !isOfOperator(object) || ['detach-on-delete', 'skip'].includes(policyOf(object));

export const isSuspended = ({ metadata }: AnyObject): boolean =>
  [suspended, 'disabled'].includes(metadata.annotations?.[kroReconcile] ?? '');

export const stateOf = ({ status }: AnyObject): string =>
  typeof status?.state === 'string' ? status.state : 'unknown';

export const azureIdOf = ({ status }: AnyObject): string | undefined =>
  typeof status?.id === 'string' ? status.id : undefined;

export const kroLabelsOf = ({ metadata }: AnyObject): string[] =>
  Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => (isKroLabel(key, value) ? [key] : []));

export const isKrosField = ({ metadata }: AnyObject): boolean =>
  metadata.managedFields?.some(({ manager }) => isKroManager(manager)) ?? false;

/** `ManagedCluster team-a/web`. */
export const describe = ({ kind = '', metadata }: Pick<AnyObject, 'kind' | 'metadata'>): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
