/** In which zones each type is sold. */
import { ok, type Result } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { allPages } from '../calls/pages.ts';

/** The names of the zones once, and for each type their places in it: thousands of pairs are kept in state. */
export type TypeZones = { zones: string[]; types: { [type: string]: number[] } };

const offeringsPerPage = 1000;

export async function readTypeZones(calls: Pick<Ec2Calls, 'ec2'>, signal: AbortSignal): Promise<Result<TypeZones>> {
  const places = new Map<string, number>();
  const types: TypeZones['types'] = {};
  const read = await allPages<never>(async (token) => {
    const input = {
      LocationType: 'availability-zone' as const,
      MaxResults: offeringsPerPage,
      ...(token ? { NextToken: token } : {}),
    };
    const page = await calls.ec2('DescribeInstanceTypeOfferings', input, signal);
    if (!page.ok) return page;
    for (const { InstanceType: type, Location: zone } of page.value.InstanceTypeOfferings ?? []) {
      if (type === undefined || zone === undefined) continue;
      const place = places.get(zone) ?? places.size;
      places.set(zone, place);
      types[type] = [...(types[type] ?? []), place];
    }
    return ok({ items: [], next: page.value.NextToken });
  });
  return read.ok ? ok({ zones: [...places.keys()], types }) : read;
}
