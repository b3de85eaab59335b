/**
 * A claim as the code believes it to be shaped. The API server checks objects against the CRD, but one that was stored
 * before the CRD, or under a laxer copy of it, comes out as it is: a list that is a text must not stop the resync of all
 * other claims. The wishes in `spec` stay as they are, because `choose` checks them and says what is wrong.
 */
import { isObject } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import type { NodeClassRef } from '../claims/spec/types.ts';
import type { StoredClaim } from './claim-access.ts';

type Loosely<T> = { readonly [K in keyof T]: unknown };

/** The very same object when there is nothing to mend, which is nearly always. */
export function shapeClaim(raw: StoredClaim): StoredClaim {
  const { metadata } = raw;
  const { annotations, labels, finalizers, ownerReferences }: Loosely<StoredClaim['metadata']> = metadata;
  const { spec, status }: Loosely<StoredClaim> = raw;
  if (
    isTextMap(annotations) &&
    isTextMap(labels) &&
    isListOf(finalizers, isText) &&
    isListOf(ownerReferences, isObject) &&
    isObject(spec) &&
    isNodeClassRef(spec.nodeClassRef) &&
    isStatus(status)
  ) {
    return raw;
  }
  const wishes = isObject(spec) ? raw.spec : undefined;
  return {
    ...raw,
    metadata: {
      ...metadata,
      annotations: textMap(annotations),
      labels: textMap(labels),
      finalizers: listOf(finalizers, isText),
      ownerReferences: listOf(ownerReferences, isOwner),
    },
    spec: {
      requirements: [],
      ...wishes,
      nodeClassRef: nodeClassRefOf(wishes?.nodeClassRef),
    },
    ...(status === undefined ? {} : { status: shapeStatus(status) }),
  };
}

function shapeStatus(status: unknown): NonNullable<StoredClaim['status']> {
  if (!isObject(status)) return {};
  const { conditions, providerID, nodeName, ...rest } = status;
  return {
    ...rest,
    ...(conditions === undefined ? {} : { conditions: onePerType(listOf(conditions, isCondition)) }),
    ...(isText(providerID) ? { providerID } : {}),
    ...(isText(nodeName) ? { nodeName } : {}),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextMap = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.values(value).every(isText));
const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(fits));

const isCondition = (value: unknown): value is Condition =>
  isObject(value) && isText(value.type) && isText(value.status) && isText(value.lastTransitionTime);
const isOnePerType = (conditions: readonly Condition[] | undefined): boolean =>
  conditions?.every(({ type }, index) => conditions.findIndex((one) => one.type === type) === index) ?? true;
/**
 * Under a laxer CRD a type may stand in the list twice, and whoever looks for the first reads something else than whoever looks for any.
 * What is True wins: a machine that may be there must not be bought once more. The others go with the next write.
 */
const onePerType = (conditions: readonly Condition[]): Condition[] => {
  const kept = new Map<string, Condition>();
  for (const condition of conditions) {
    const before = kept.get(condition.type);
    if (before === undefined || (before.status !== 'True' && condition.status === 'True'))
      kept.set(condition.type, condition);
  }
  return [...kept.values()];
};
type Owner = NonNullable<StoredClaim['metadata']['ownerReferences']>[number];
const isOwner = (value: unknown): value is Owner =>
  isObject(value) && isText(value.apiVersion) && isText(value.kind) && isText(value.name) && isText(value.uid);
const isNodeClassRef = (value: unknown): value is NodeClassRef =>
  isObject(value) && isText(value.group) && isText(value.kind) && isText(value.name);
/** Claims from before karpenter.sh/v1 may carry no group. */
const nodeClassRefOf = (value: unknown): NodeClassRef => {
  const ref = isObject(value) ? { group: '', ...value } : undefined;
  return isNodeClassRef(ref) ? ref : { group: '', kind: '', name: '' };
};
const isStatus = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) &&
    isListOf(value.conditions, isCondition) &&
    isOnePerType(value.conditions as Condition[] | undefined) &&
    (value.providerID === undefined || isText(value.providerID)) &&
    (value.nodeName === undefined || isText(value.nodeName)));

const textMap = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => isText(entry[1])))
    : {};
const listOf = <T>(value: unknown, fits: (item: unknown) => item is T): T[] =>
  Array.isArray(value) ? value.filter(fits) : [];
