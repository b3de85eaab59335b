/** The service offerings of a class, as far as machines can be made of them with its templates and sizes. */
import type { ServiceOffering } from '../site/answers.ts';
import { whyNoFit } from './fit.ts';
import { type Found, missing, withNote } from './found.ts';
import { resolvedOffering, selectOfferings } from './offerings.ts';
import type { ResolvedOffering, ResolvedTemplate, ResolvedZone } from './resolved.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';
import { sizesWithin } from './sizes.ts';

export function findOfferings(
  spec: CloudStackNodeClassSpec,
  all: readonly ServiceOffering[],
  zones: readonly ResolvedZone[],
  templates: readonly ResolvedTemplate[],
): Found<ResolvedOffering[]> {
  const active = all.filter(({ state }) => state === undefined || state === 'Active');
  const { found, empty } = selectOfferings(
    spec.serviceOfferingSelectorTerms,
    active,
    'spec.serviceOfferingSelectorTerms',
  );
  if (found.length === 0) {
    return missing('ServiceOfferingsNotFound', `no service offering matches ${empty.join(', or ')}`);
  }
  const spot = new Set(
    selectOfferings(spec.spotOfferingSelectorTerms ?? [], active, 'spec.spotOfferingSelectorTerms').found.map(
      ({ item }) => item.id,
    ),
  );
  const selected = found
    .map(({ item, matchedBy }) => resolvedOffering(item, { spot: spot.has(item.id), matchedBy }))
    .filter(({ zoneIds }) => zoneIds === undefined || zones.some(({ id }) => zoneIds.includes(id)));
  if (selected.length === 0) {
    const names = found.map(({ item }) => item.name).join(', ');
    return missing('ServiceOfferingsNotFound', `${names}: not offered in ${zones.map(({ name }) => name).join(', ')}`);
  }
  const sizeless = selected.filter((one) => one.customized && sizesWithin(one, spec.details ?? []).length === 0);
  const sized = selected.filter((one) => !sizeless.includes(one));
  const lacks = sizeless.map(
    ({ name, limits }) =>
      `offering ${name} is customised, and spec.details has no size for it${limits === undefined ? '' : ` within its limits (${describeLimits(limits)})`}`,
  );
  if (sized.length === 0) return missing('OfferingNeedsSize', `${lacks.join('; ')}; add sizes to spec.details`);
  const misfits: string[] = [];
  const good = sized.filter((offering) => {
    const whys = templates.map((template) => whyNoFit(offering, template, spec));
    if (whys.includes(undefined)) return true;
    misfits.push(whys[0] ?? '');
    return false;
  });
  if (good.length === 0) {
    return missing('OfferingTemplateMismatch', `${misfits.join('; ')}; select other offerings, or another template`);
  }
  return withNote(good, [...lacks, ...misfits, ...empty.map((one) => `nothing matches ${one}`)]);
}

function describeLimits(limits: NonNullable<ResolvedOffering['limits']>): string {
  const { minCpu = '…', maxCpu = '…', minMemory = '…', maxMemory = '…' } = limits;
  return `${minCpu} to ${maxCpu} CPUs, ${minMemory} to ${maxMemory} MiB`;
}
