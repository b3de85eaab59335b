/**
 * What EC2 sells to the machines of a class. Types, zones and prices are asked once for the whole region, kept, and shared by
 * all classes and functions; what a class makes of them is worked out anew only when one of them has changed.
 *
 * @example
 * const catalog = new Ec2Catalog({ calls, context, scope, buyer, vmMemoryOverheadPercent: 0.075, reservedENIs: 0, prices: true });
 * const types = await catalog.instanceTypes(resolved, signal);
 */

import type { Json } from '../../../base/json.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { InstanceType } from '../../../nodes/claims/choice/offerings.ts';
import type { LookupContext } from '../../calls/lookups.ts';
import { KeptAnswer } from '../../kept-answer.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { imageFor } from '../node-class/images.ts';
import type { ResolvedAmi, ResolvedEc2Class } from '../node-class/resolved.ts';
import { efaOnlyCount } from '../node-class/schema-network.ts';
import { awsLabels } from '../node-labels.ts';
import { type Buyer, classLabels } from './labels.ts';
import { offeringsOf } from './offerings.ts';
import { podsToTell } from './pods.ts';
import { type OnDemandPrices, type PriceKind, readOnDemandPrices, readSpotPrices, type SpotPrices } from './prices.ts';
import { type OverheadOptions, resourcesOf } from './resources.ts';
import { suitsClass } from './suits-class.ts';
import { isExotic, readTypes, type TypeFacts, variantOf } from './type-facts.ts';
import { typeLabels } from './type-labels.ts';
import { readTypeZones, type TypeZones } from './zones.ts';

export interface CatalogOptions extends OverheadOptions {
  calls: Ec2Calls;
  context: LookupContext;
  /** Tells account and region apart in state, such as `123456789012/eu-west-1`. */
  scope: string;
  buyer: Buyer;
  /** Whether the price list is asked; without it on-demand prices are unknown. */
  prices: boolean;
}

/** New types come a few times a year, and prices of spot change every few hours. */
const fresh = { types: 12 * 3600, zones: 12 * 3600, onDemand: 12 * 3600, spot: 3600 } as const;

/** Few classes are in use at once; each list of a thousand types is some megabytes. */
const mostLists = 20;

type Market = { onDemand: OnDemandPrices | undefined; spot: SpotPrices | undefined };
type Worked = { from: readonly unknown[]; types: readonly InstanceType[] };

export class Ec2Catalog {
  readonly #options: CatalogOptions;
  readonly #types: KeptAnswer<TypeFacts[]>;
  readonly #zones: KeptAnswer<TypeZones>;
  readonly #onDemand = new Map<string, KeptAnswer<OnDemandPrices>>();
  readonly #spot = new Map<string, KeptAnswer<SpotPrices>>();
  readonly #lists = new RecentMap<string, Worked>({ max: mostLists });
  #byName: { of: TypeFacts[]; types: Map<string, TypeFacts> } | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { calls } = options;
    this.#types = this.#kept('types', fresh.types, async (signal) => {
      const types = await readTypes(calls, signal);
      if (!types.ok || types.value.length > 0) return types;
      return failed('unavailable', `EC2 lists no instance types in ${calls.region}; check the region of the provider`);
    });
    this.#zones = this.#kept('type-zones', fresh.zones, (signal) => readTypeZones(calls, signal));
  }

  /** All types for which the class has an image, with their offerings. The same list as long as nothing has changed. */
  async instanceTypes(resolved: ResolvedEc2Class, signal: AbortSignal): Promise<Result<readonly InstanceType[]>> {
    const kind = priceKindOf(resolved);
    const [types, zones, onDemand, spot] = await Promise.all([
      this.#types.get(signal),
      this.#zones.get(signal),
      this.#options.prices ? this.#onDemandOf(kind).soon(signal) : undefined,
      this.#spotOf(kind).soon(signal),
    ]);
    if (!types.ok) return types;
    if (!zones.ok) return zones;
    return ok(this.#listOf(resolved, types.value.value, zones.value.value, { onDemand, spot }));
  }

  /** What a launch needs to know of a type: its image, and how many pods the kubelet has to be told. */
  setUp(
    resolved: ResolvedEc2Class,
    { name }: Pick<InstanceType, 'name'>,
  ): { ami: ResolvedAmi | undefined; maxPods?: number | undefined } {
    const known = this.#types.known;
    const type = known && this.#index(known.value).get(name);
    if (type === undefined) return { ami: undefined };
    const { family, spec } = resolved;
    const reservedENIs = this.#options.reservedENIs + efaOnlyCount(spec.networkInterfaces);
    return {
      ami: imageFor(resolved.amis, { arch: type.arch, variant: variantOf(type) }),
      maxPods: podsToTell(type, { family, kubelet: spec.kubelet ?? {}, reservedENIs }),
    };
  }

  close(): void {
    for (const one of [this.#types, this.#zones, ...this.#onDemand.values(), ...this.#spot.values()]) one.close();
  }

  #listOf(resolved: ResolvedEc2Class, facts: TypeFacts[], zones: TypeZones, market: Market): readonly InstanceType[] {
    const { clock } = this.#options.context;
    const key = JSON.stringify(shapedBy(resolved));
    const from = [facts, zones, market.onDemand, market.spot];
    const known = this.#lists.get(key);
    if (known?.from.every((one, index) => one === from[index])) return known.types;
    const ofClass = [...new Set(resolved.subnets.map(({ zone }) => zone))].sort();
    const sold = (type: string, zone: string): boolean => {
      const place = zones.zones.indexOf(zone);
      return place >= 0 && (zones.types[type]?.includes(place) ?? false);
    };
    const { region } = this.#options.calls;
    const zoneLabels = zoneLabelsOf(resolved);
    const bought = classLabels(this.#options.buyer, resolved.name);
    const input = {
      ...market,
      zones: ofClass,
      zoneLabels,
      isSold: sold,
      reservations: resolved.reservations,
      now: clock.now(),
    };
    const types = [...this.#index(facts).values()]
      .filter((type) => suitsClass(type, resolved.spec))
      .filter((type) => imageFor(resolved.amis, { arch: type.arch, variant: variantOf(type) }) !== undefined)
      .map(
        (type): InstanceType => ({
          name: type.name,
          labels: { ...typeLabels(type, resolved, region), ...bought },
          ...resourcesOf(type, resolved, this.#options),
          offerings: offeringsOf(type, input),
          ...(isExotic(type) ? { exotic: true } : {}),
        }),
      );
    this.#lists.set(key, { from, types });
    return types;
  }

  #index(facts: TypeFacts[]): Map<string, TypeFacts> {
    if (this.#byName?.of !== facts) this.#byName = { of: facts, types: new Map(facts.map((one) => [one.name, one])) };
    return this.#byName.types;
  }

  #onDemandOf(kind: PriceKind): KeptAnswer<OnDemandPrices> {
    const key = `${kind.os}-${kind.tenancy}`;
    const known = this.#onDemand.get(key);
    if (known !== undefined) return known;
    const read = (signal: AbortSignal) => readOnDemandPrices(this.#options.calls, kind, signal);
    const kept = this.#kept(`prices-${key}`, fresh.onDemand, read);
    this.#onDemand.set(key, kept);
    return kept;
  }

  #spotOf({ os }: PriceKind): KeptAnswer<SpotPrices> {
    const known = this.#spot.get(os);
    if (known !== undefined) return known;
    const { calls, context } = this.#options;
    const read = (signal: AbortSignal) => readSpotPrices(calls, { os, now: context.clock.now() }, signal);
    const kept = this.#kept(`spot-${os}`, fresh.spot, read);
    this.#spot.set(os, kept);
    return kept;
  }

  #kept<T extends Json>(
    what: string,
    freshSeconds: number,
    read: (signal: AbortSignal) => Promise<Result<T>>,
  ): KeptAnswer<T> {
    const { context, scope } = this.#options;
    // Facts that an earlier version kept lack fields that a choice needs now, so they are read again.
    const kept = what === 'types' ? 'types-2' : what;
    return new KeptAnswer<T>(context, { cloud: 'AWS', what, key: `ec2/${scope}/${kept}`, freshSeconds, read });
  }
}

const priceKindOf = ({ family, spec }: ResolvedEc2Class): PriceKind => ({
  os: family.startsWith('Windows') ? 'Windows' : 'Linux',
  tenancy: spec.tenancy ?? 'default',
});

/** One object for each zone: thousands of offerings share it. */
const zoneLabelsOf = ({ subnets }: ResolvedEc2Class): Map<string, { readonly [key: string]: string }> =>
  new Map(subnets.flatMap(({ zone, zoneId }) => (zoneId === '' ? [] : [[zone, { [awsLabels.zoneId]: zoneId }]])));

/** All of a class that its list of types depends on. */
const shapedBy = ({ name, spec, family, amis, subnets, reservations }: ResolvedEc2Class): unknown => ({
  name,
  family,
  kubelet: spec.kubelet,
  devices: spec.blockDeviceMappings,
  store: spec.instanceStorePolicy,
  tenancy: spec.tenancy,
  interfaces: spec.networkInterfaces,
  tracking: spec.connectionTracking !== undefined,
  cpu: spec.cpuOptions,
  images: amis.map(({ arch, variant }) => `${arch}/${variant ?? ''}`),
  zones: [...new Set(subnets.map(({ zone, zoneId }) => `${zone}/${zoneId}`))].sort(),
  reservations: reservations.map(({ id, available }) => `${id}/${available}`),
});
