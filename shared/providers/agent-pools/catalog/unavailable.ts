/**
 * For which sizes, besides the one that was asked for, a refusal of Azure speaks: a quota is shared by a family, a spot
 * quota by all, and a size that no zone could place is not asked for again in each zone.
 */
import type { Failure } from '../../../base/result.ts';
import type { OfferingRef, OfferingScope } from '../../../nodes/claims/choice/offerings.ts';
import type { Size } from '../../../platforms/azure/catalog/size.ts';
import { azureCodes } from '../../../platforms/azure/error-rules.ts';
import { placeLabel, quotaFamilyLabel, skuLabels } from './instance-types.ts';

export type QuotaKind = 'spot' | 'family' | 'regional';

const minute = 60;
const hour = 60 * minute;

/** How long a quota that is used up is believed to stay so. One of zero is nothing that a deleted machine would mend. */
export function quotaSeconds(kind: QuotaKind, limit: number): number {
  if (kind === 'spot') return hour;
  return limit === 0 ? hour : 10 * minute;
}

/** Who can't have so many cores of a quota can't have more of them either. */
export function quotaScope(kind: QuotaKind, offering: OfferingRef, size: Size, place: string): OfferingScope {
  return within(place, scopeOfQuota(kind, offering, size));
}

/** Marks are shared by all clusters of a deployment, and those may be in other subscriptions and locations. */
const within = (place: string, scope: OfferingScope): OfferingScope => ({
  ...scope,
  labels: { ...scope.labels, [placeLabel]: place },
});

function scopeOfQuota(kind: QuotaKind, { capacityType }: OfferingRef, size: Size): OfferingScope {
  return {
    capacityType,
    labelsAtLeast: { [skuLabels.cpu]: size.cpu },
    ...(kind === 'family' && size.family !== '' ? { labels: { [quotaFamilyLabel]: size.family } } : {}),
  };
}

/** Which quota a refusal of Azure is about. */
const quotaKinds: Readonly<Record<string, QuotaKind>> = {
  [azureCodes.spotQuota]: 'spot',
  [azureCodes.regionalQuota]: 'regional',
  [azureCodes.familyQuota]: 'family',
};

/** The same failure, with everything that it speaks for. `size` is unknown where the catalog was not read. */
export function withScope(failure: Failure, offering: OfferingRef, size: Size | undefined, place: string): Failure {
  const scope = failure.scope ?? scopeOf(failure, offering, size);
  return scope === undefined ? failure : { ...failure, scope: within(place, scope) };
}

/** Nothing where the offering by itself says it all: a zone has its location in its name. */
function scopeOf(failure: Failure, offering: OfferingRef, size: Size | undefined): OfferingScope | undefined {
  const { instanceType, capacityType } = offering;
  const itself = offering.zone === '' ? { instanceType, zone: '', capacityType } : undefined;
  if (failure.kind === 'insufficient-capacity') {
    const everywhere = offering.zone === '' || failure.code === azureCodes.sizeClosed;
    return everywhere ? { instanceType, capacityType } : undefined;
  }
  if (failure.kind !== 'quota-exceeded') return undefined;
  const kind = quotaKinds[failure.code ?? ''];
  return size === undefined || kind === undefined ? itself : scopeOfQuota(kind, offering, size);
}
