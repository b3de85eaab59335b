/** Zones: a Node's label says `eastus-1`, the API of pools says `1`, and a pool without zones is wherever Azure likes. */

/** Undefined for what is no zone of Azure. */
export function zoneNumber(zone: string): string | undefined {
  if (zone === '') return '';
  return /^(?:[a-z0-9]+-)?(\d+)$/i.exec(zone)?.[1];
}

/** A pool in several zones is in none of them for sure. */
export function zoneOf(zones: readonly string[], location: string): string {
  const [zone] = zones;
  return zone === undefined || zones.length !== 1 ? '' : `${location}-${zone}`;
}
