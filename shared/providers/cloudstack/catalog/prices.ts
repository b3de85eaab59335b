/** What a machine costs per hour by the operator's table. What the table does not say is unknown, never zero. */
import type { ResolvedOffering, ResolvedZone } from '../node-class/resolved.ts';
import type { PriceTable } from '../options.ts';
import type { Size } from './labels.ts';

/** A tenth of a cent of a cent: sums of small numbers otherwise show their last digits. */
const places = 1e6;

/** By the offering's id or name first; else by what it has, where each of its parts has a price. */
export function priceOf(
  table: PriceTable | undefined,
  offering: ResolvedOffering,
  { cpuNumber, memory }: Size,
  zone: ResolvedZone,
): number | undefined {
  if (table === undefined) return undefined;
  const whole = own(table.offerings, offering.id) ?? own(table.offerings, offering.name);
  if (whole !== undefined) return whole;
  const here = own(table.zones, zone.id) ?? own(table.zones, zone.name) ?? {};
  const perVcpu = here.perVcpu ?? table.perVcpu;
  const perGib = here.perGib ?? table.perGib;
  const perGpu = here.perGpu ?? table.perGpu;
  const gpus = offering.gpu?.count ?? 0;
  if (perVcpu === undefined && perGib === undefined) return undefined;
  if (gpus > 0 && perGpu === undefined) return undefined;
  // A table may count by CPUs alone, or by memory alone.
  const sum = cpuNumber * (perVcpu ?? 0) + (memory / 1024) * (perGib ?? 0) + gpus * (perGpu ?? 0);
  return Math.round(sum * places) / places;
}

/** Names are the operator's, but a map from JSON has a prototype all the same. */
const own = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;
