/** The zones that a class names. */

import { labelValueOf } from '../../../base/kubernetes/label-syntax.ts';
import { didYouMean } from '../../../base/nearest.ts';
import type { Zone } from '../site/answers.ts';
import { type Found, missing, withNote } from './found.ts';
import type { ResolvedZone } from './resolved.ts';

export function findZones(wanted: readonly string[], zones: readonly Zone[]): Found<ResolvedZone[]> {
  const found: Zone[] = [];
  const unknown: string[] = [];
  for (const one of wanted) {
    const zone = zones.find(({ id }) => id === one) ?? zones.find(({ name }) => name === one);
    if (zone === undefined) unknown.push(one);
    else if (!found.includes(zone)) found.push(zone);
  }
  const names = zones.map(({ name }) => name);
  if (unknown.length > 0) {
    const texts = unknown.map((one) => `${JSON.stringify(one)}${didYouMean(one, names)}`);
    const there = names.length === 0 ? 'the account can use no zone' : `zones: ${names.slice(0, 10).join(', ')}`;
    return missing('ZonesNotFound', `there is no zone ${texts.join(', ')} (${there}); correct spec.zone or spec.zones`);
  }
  const open = found.filter(({ allocationstate }) => allocationstate !== 'Disabled');
  const closed = found
    .filter((zone) => !open.includes(zone))
    .map(({ name }) => `zone ${name} is disabled in CloudStack`);
  if (open.length === 0) return missing('ZoneDisabled', `${closed.join('; ')}; enable it, or name another zone`);
  return withNote(open.map(resolvedZone), closed);
}

function resolvedZone({ id, name, networktype = '', securitygroupsenabled = false }: Zone): ResolvedZone {
  // A name without a letter of ASCII has nothing that a label can hold.
  return { id, name, label: labelValueOf(name) || id, networkType: networktype, securityGroups: securitygroupsenabled };
}
