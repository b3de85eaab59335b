/**
 * What a claim's machine costs per hour, on the claim. It is written together with what is written anyway: with the right to
 * write where the provider makes what it was asked for, with the labels where the cloud takes one of many. Absent is unknown.
 */

import type { Provider } from '../../providers/contract.ts';
import { knownPrice, type OfferingRef, offeringKey } from '../claims/choice/offerings.ts';
import { annotations } from '../claims/spec/well-known.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { servingAs } from '../steps/provider-choice.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { catalogFor } from './catalog.ts';
import { readNodeClass } from './node-class.ts';

/** A decimal number without an exponent, which every reader of annotations understands. */
export function priceText(price: number): string {
  const text = String(price);
  return /e/.test(text) ? price.toFixed(12).replace(/\.?0+$/, '') : text;
}

/** The annotations to change so that the claim says this price; null takes the one of another machine away. */
export function priceChange(
  { metadata }: Pick<StoredClaim, 'metadata'>,
  price: number | null | undefined,
): { [key: string]: string | null } {
  const key = annotations.pricePerHour;
  const known = knownPrice(price ?? undefined);
  const wanted = known === undefined ? undefined : priceText(known);
  if (metadata.annotations?.[key] === wanted) return {};
  return { [key]: wanted ?? null };
}

/** For machines that no plan of this launch chose. A catalog that can't be read leaves the price unknown, and nobody waits. */
export async function lookUpPrice(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  claim: StoredClaim,
  offering: OfferingRef,
  signal: AbortSignal,
): Promise<number | undefined> {
  const served = servingAs(cluster, claim, provider.name);
  if (!served) return undefined;
  const nodeClass = await readNodeClass(services, cluster, served.resource, claim.spec.nodeClassRef, signal);
  if (!nodeClass.ok) return undefined;
  const catalog = await catalogFor(services, provider, nodeClass.value, signal);
  if (!catalog.ok) return undefined;
  const wanted = offeringKey(offering);
  return catalog.value.offerings.find(({ key }) => key === wanted)?.offering.price;
}
