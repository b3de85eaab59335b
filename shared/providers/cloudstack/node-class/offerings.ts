/** Service offerings as a class selects them: what CloudStack says of one, what stands for tags, and which are preemptible. */
import type { ServiceOffering } from '../site/answers.ts';
import type { OfferingGpu, ResolvedOffering } from './resolved.ts';
import type { OfferingTerm } from './schema.ts';
import { type Selection, select } from './terms.ts';

const listIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Details first, then the tags of hosts, then those of storage: `key=value`, or the key alone where any value will do. */
export function offeringTag(offering: ServiceOffering, key: string, value: string): string | undefined {
  const details = offering.serviceofferingdetails ?? {};
  if (Object.hasOwn(details, key) && (value === '*' || details[key] === value)) return `detail ${key}=${details[key]}`;
  for (const [kind, text] of [
    ['host tag', offering.hosttags],
    ['storage tag', offering.storagetags],
  ] as const) {
    const tag = listIn(text).find(
      (one) => one === `${key}=${value}` || (value === '*' && (one === key || one.startsWith(`${key}=`))),
    );
    if (tag !== undefined) return `${kind} ${tag}`;
  }
  return undefined;
}

export function selectOfferings(
  terms: readonly OfferingTerm[],
  offerings: readonly ServiceOffering[],
  path: string,
): Selection<ServiceOffering> {
  return select(terms, offerings, path, offeringTag);
}

export function resolvedOffering(
  offering: ServiceOffering,
  { spot, matchedBy }: { spot: boolean; matchedBy: string },
): ResolvedOffering {
  const details = offering.serviceofferingdetails ?? {};
  const { cpunumber = 0, memory = 0, cpuspeed = 0, networkrate = 0, rootdisksize = 0, zoneid } = offering;
  const gpu = gpuOf(offering, details);
  const limits = limitsOf(details);
  return {
    id: offering.id,
    name: offering.name,
    createdAt: offering.created ?? '',
    cpuNumber: cpunumber,
    memory,
    cpuSpeed: cpuspeed,
    customized: offering.iscustomized === true || cpunumber === 0 || memory === 0,
    ...(limits === undefined ? {} : { limits }),
    networkRate: networkrate,
    rootDiskSize: rootdisksize,
    hostTags: listIn(offering.hosttags),
    storageTags: listIn(offering.storagetags),
    details,
    ...(gpu === undefined ? {} : { gpu }),
    ...(zoneid === undefined ? {} : { zoneIds: listIn(zoneid) }),
    capacityType: spot ? 'spot' : 'on-demand',
    matchedBy,
  };
}

function limitsOf(details: Readonly<Record<string, string>>): ResolvedOffering['limits'] {
  const number = (key: string): number | undefined => {
    const value = Number(details[key]);
    return details[key] !== undefined && Number.isFinite(value) ? value : undefined;
  };
  const limits = {
    minCpu: number('mincpunumber'),
    maxCpu: number('maxcpunumber'),
    minMemory: number('minmemory'),
    maxMemory: number('maxmemory'),
  };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Cards and profiles since 4.21; before, the details of the offering say it. */
function gpuOf(offering: ServiceOffering, details: Readonly<Record<string, string>>): OfferingGpu | undefined {
  const { gpucardid: cardId, gpucardname, gpucount, vgpuprofileid: profileId, vgpuprofilename: profile } = offering;
  if (cardId !== undefined || gpucardname !== undefined || profileId !== undefined) {
    return {
      count: gpucount ?? 1,
      card: gpucardname ?? profile ?? 'unknown',
      ...(cardId === undefined ? {} : { cardId }),
      ...(profile === undefined ? {} : { profile }),
      ...(profileId === undefined ? {} : { profileId }),
    };
  }
  const { pciDevice, vgpuType } = details;
  if (pciDevice === undefined && vgpuType === undefined) return undefined;
  const isWhole = vgpuType === undefined || vgpuType === 'passthrough';
  return {
    count: 1,
    card: pciDevice ?? vgpuType ?? 'unknown',
    ...(isWhole ? {} : { profile: vgpuType }),
    byDetails: true,
  };
}
