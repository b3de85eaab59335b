/** What the selectors of a SimNodeClass find at the cloud. */
import { fingerprint } from '../../base/fingerprint.ts';
import { didYouMean } from '../../base/nearest.ts';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import type { ResolvedNodeClass } from '../contract.ts';
import type { SimNodeClassSpec } from './node-class.ts';

/** What the cloud boots when a class names no image. */
const defaultImage = 'sim-image-1';

/** The types that the class allows, each with the offerings in the zones that it allows. */
export function selectTypes(
  { zones, instanceTypes }: SimNodeClassSpec,
  types: readonly InstanceType[],
): InstanceType[] {
  const inZone = (zone: string): boolean => !zones?.length || zones.includes(zone);
  return types
    .filter(({ name }) => !instanceTypes?.length || instanceTypes.some((pattern) => matches(pattern, name)))
    .map((type) => ({ ...type, offerings: type.offerings.filter(({ zone }) => inZone(zone)) }))
    .filter(({ offerings }) => offerings.length > 0);
}

export function resolveSimNodeClass(spec: SimNodeClassSpec, types: readonly InstanceType[]): ResolvedNodeClass {
  const selected = selectTypes(spec, types);
  const zonesOf = (some: readonly InstanceType[]): string[] =>
    [...new Set(some.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)))].sort();
  const image = spec.image ?? defaultImage;
  const resolved = { image, instanceTypes: selected.length, zones: zonesOf(selected) };

  const known = { zones: zonesOf(types), types: types.map(({ name }) => name) };
  const problem =
    missing('zone', spec.zones, known.zones, (zone) => known.zones.includes(zone)) ??
    missing('instance type', spec.instanceTypes, known.types, (one) => known.types.some((name) => matches(one, name)));
  if (problem) return { ready: false, ...problem, resolved };
  if (selected.length === 0) {
    const message = 'no instance type in spec.instanceTypes is offered in a zone in spec.zones';
    return { ready: false, reason: 'NothingSelected', message, resolved };
  }
  // What a machine is made from. Which types and zones are allowed is no part of it: a machine that exists has both.
  const { bootSeconds, tags, userData } = spec;
  return { ready: true, resolved, hash: fingerprint({ image, bootSeconds, tags, userData }) };
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

function missing(
  what: string,
  named: readonly string[] | undefined,
  known: readonly string[],
  isThere: (name: string) => boolean,
): { reason: string; message: string } | undefined {
  const absent = (named ?? []).filter((name) => !isThere(name));
  const [first] = absent;
  if (first === undefined) return undefined;
  const reason = what === 'zone' ? 'ZonesNotFound' : 'InstanceTypesNotFound';
  return { reason, message: `the cloud has no ${what} ${absent.join(', ')}${didYouMean(first, known)}` };
}
