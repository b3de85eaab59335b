/**
 * For which sizes, besides the one that was asked for, a refusal of Azure speaks: a quota is shared by a family, a spot
 * quota by all, and a size that no zone could place is not asked for again in each zone.
 */
import type { Failure } from '../../../claims/errors.ts';
import type { OfferingRef, OfferingScope } from '../../../claims/offerings.ts';
import { quotaFamilyLabel, skuLabels } from './instance-types.ts';
import type { Size } from './size.ts';

export type QuotaKind = 'spot' | 'family' | 'regional';

const minute = 60;
const hour = 60 * minute;

/** How long a quota that is used up is believed to stay so. One of zero is nothing that a deleted machine would mend. */
export function quotaSeconds(kind: QuotaKind, limit: number): number {
  if (kind === 'spot') return hour;
  return limit === 0 ? hour : 10 * minute;
}

/** Who can't have so many cores of a quota can't have more of them either. */
export function quotaScope(kind: QuotaKind, { capacityType }: OfferingRef, size: Size): OfferingScope {
  return {
    capacityType,
    labelsAtLeast: { [skuLabels.cpu]: size.cpu },
    ...(kind === 'family' && size.family !== '' ? { labels: { [quotaFamilyLabel]: size.family } } : {}),
  };
}

const sizeCodes = /SkuNotAvailable|NotAvailableForSubscription|VMSizeNotSupported/i;

/** The same failure, with everything that it speaks for. `size` is unknown where the catalogue was not read. */
export function withScope(failure: Failure, offering: OfferingRef, size: Size | undefined): Failure {
  const scope = failure.scope ?? scopeOf(failure, offering, size);
  return scope === undefined ? failure : { ...failure, scope };
}

function scopeOf(failure: Failure, offering: OfferingRef, size: Size | undefined): OfferingScope | undefined {
  const text = `${failure.message} ${failure.cause ?? ''}`;
  const { instanceType, capacityType } = offering;
  if (failure.kind === 'insufficient-capacity') {
    const everywhere = offering.zone === '' || sizeCodes.test(text);
    return everywhere ? { instanceType, capacityType } : undefined;
  }
  if (failure.kind !== 'quota-exceeded' || size === undefined) return undefined;
  if (/low ?priority ?cores|quota for spot/i.test(text)) return quotaScope('spot', offering, size);
  if (/total regional cores|regional vcpu quota/i.test(text)) return quotaScope('regional', offering, size);
  return /(cores?|vcpu) quota|family|quota for cores/i.test(text) ? quotaScope('family', offering, size) : undefined;
}
