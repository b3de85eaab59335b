/** Where and how a type can be bought with a class: in the zones of its subnets, on demand, as spot, or from a reservation. */
import { defined } from '../../../base/defined.ts';
import type { Offering } from '../../../nodes/claims/choice/offerings.ts';
import type { ResolvedReservation } from '../node-class/resolved.ts';
import type { OnDemandPrices, SpotPrices } from './prices.ts';
import type { TypeFacts } from './type-facts.ts';

export interface OfferingsInput {
  /** Zones in which the class has a subnet. */
  zones: readonly string[];
  /** What machines of each have besides the zone's name: its id, where it is known. */
  zoneLabels: ReadonlyMap<string, NonNullable<Offering['labels']>>;
  /** Of those, where the type is sold. */
  isSold(type: string, zone: string): boolean;
  onDemand: OnDemandPrices | undefined;
  spot: SpotPrices | undefined;
  reservations: readonly ResolvedReservation[];
  now: number;
}

export function offeringsOf(type: Pick<TypeFacts, 'name' | 'onDemand' | 'spot'>, input: OfferingsInput): Offering[] {
  const { name } = type;
  const price = own(input.onDemand, name);
  const spotPrices = own(input.spot, name);
  const zones = input.zones.filter((zone) => input.isSold(name, zone));
  return zones.flatMap((zone): Offering[] => {
    const labels = input.zoneLabels.get(zone);
    const there = [
      ...reservedIn(name, zone, price, input),
      ...(type.onDemand ? [{ capacityType: 'on-demand' as const, price, available: true }] : []),
      ...(type.spot ? [{ capacityType: 'spot' as const, price: own(spotPrices, zone), available: true }] : []),
    ];
    return there.map((sold) => ({ instanceType: name, zone, ...sold, ...defined({ labels }) }));
  });
}

/** All reservations of a type in a zone are one offering: which of them is used is decided at the launch. */
function reservedIn(
  name: string,
  zone: string,
  price: number | undefined,
  { reservations, now }: OfferingsInput,
): Omit<Offering, 'instanceType' | 'zone'>[] {
  const here = reservations.filter(
    (one) => one.instanceType === name && one.zone === zone && (one.endsAt === undefined || one.endsAt > now),
  );
  if (here.length === 0) return [];
  const available = here.some((one) => one.available > 0);
  const reason = `no capacity is left in ${here.map(({ id }) => id).join(', ')}`;
  return [{ capacityType: 'reserved', price, available, ...(available ? {} : { unavailableReason: reason }) }];
}

/** Names of types are AWS's, but a map from JSON has a prototype all the same. */
const own = <T>(map: { [key: string]: T } | undefined, key: string): T | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
