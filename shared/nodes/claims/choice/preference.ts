/**
 * What is taken first of all that would serve. Offerings come in the order of their prices; a provider may want another
 * order of capacity types, and nobody wants a machine with accelerators just because it is cheap today.
 */
import type { CatalogOffering } from './catalog.ts';
import type { ChoiceInput } from './choice.ts';

type Wishes = Pick<ChoiceInput, 'alternatives' | 'capacityTypeOrder' | 'requirements'>;

export interface Preferred {
  /** Best first. What is left out is worse than another one in every way that counts. */
  candidates: CatalogOffering[];
  /** One request buys under one capacity type; and what is exotic is never mixed with what is not. */
  alternatives: CatalogOffering[];
}

export function byPreference(available: readonly CatalogOffering[], wishes: Wishes): Preferred {
  const { capacityTypeOrder: order, alternatives: most = 0 } = wishes;
  // Whoever asks for many values wants the width, and gets it.
  const exoticLast = ![...wishes.requirements.values()].some(({ minValues }) => minValues !== undefined);
  const limit = order === undefined ? Number.POSITIVE_INFINITY : cheapestOnDemand(available, exoticLast);
  const ranks = new Map<number, CatalogOffering[]>();
  for (const item of available) {
    const { capacityType, price = 0 } = item.offering;
    // Spot can be taken away at any time: who pays more for it than for a machine that stays has nothing from it.
    if (capacityType === 'spot' && price > limit) continue;
    const place = order?.indexOf(capacityType) ?? 0;
    // A capacity type that is not in the order comes after all that are.
    const ofType = place < 0 ? (order?.length ?? 0) : place;
    const rank = exoticLast && item.type.exotic ? ofType + exoticRank : ofType;
    const ranked = ranks.get(rank);
    if (ranked === undefined) ranks.set(rank, [item]);
    else ranked.push(item);
  }
  const groups = [...ranks].sort(([a], [b]) => a - b).map(([, items]) => items);
  const [best, ...others] = groups[0] ?? [];
  const together = others.filter(({ offering }) => offering.capacityType === best?.offering.capacityType);
  return { candidates: groups.flat(), alternatives: together.slice(0, most) };
}

/** More than there are capacity types. */
const exoticRank = 100;

/** Infinite where none can be had, or none of them has a known price: then nothing is too dear. */
function cheapestOnDemand(available: readonly CatalogOffering[], withoutExotic: boolean): number {
  const plain = withoutExotic && available.some(({ type }) => !type.exotic);
  const first = available.find(
    ({ type, offering }) => offering.capacityType === 'on-demand' && !(plain && type.exotic),
  );
  return first?.offering.price ?? Number.POSITIVE_INFINITY;
}
