/**
 * Names of instance types. A label can't hold every name of an offering: `Medium Instance` is `Medium-Instance`, and a requirement that
 * names the offering as CloudStack does means the same. Where two offerings come to one name, the older one keeps it.
 */
import { labelValueOf } from '../../../base/kubernetes/label-syntax.ts';
import type { ResolvedOffering } from '../node-class/resolved.ts';
import type { CustomSize } from '../node-class/schema-machine.ts';
import { sizesWithin } from '../node-class/sizes.ts';

/** One instance type: an offering, and its size where that is ours to choose. */
export interface NamedType {
  name: string;
  offering: ResolvedOffering;
  size?: CustomSize;
}

const longest = 63;

export function namedTypes(offerings: readonly ResolvedOffering[], sizes: readonly CustomSize[]): NamedType[] {
  const names = offeringNames(offerings);
  return offerings.flatMap((offering): NamedType[] => {
    const name = names.get(offering.id) ?? offering.id;
    if (!offering.customized) return [{ name, offering }];
    return sizesWithin(offering, sizes).map((size) => ({ name: sizedName(name, size), offering, size }));
  });
}

function sizedName(name: string, { cpuNumber, memory, cpuSpeed }: CustomSize): string {
  const suffix = `-${cpuNumber}cpu-${memory}mib${cpuSpeed === undefined ? '' : `-${cpuSpeed}mhz`}`;
  return `${labelValueOf(name, longest - suffix.length)}${suffix}`;
}

function offeringNames(offerings: readonly ResolvedOffering[]): Map<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { id, name } of offerings.toSorted(oldestFirst)) {
    const plain = labelValueOf(name) || id;
    const suffix = `-${id.slice(0, 8)}`;
    const own = taken.has(plain) ? `${labelValueOf(plain, longest - suffix.length)}${suffix}` : plain;
    taken.add(own);
    names.set(id, own);
  }
  return names;
}

const oldestFirst = (a: ResolvedOffering, b: ResolvedOffering): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1;
