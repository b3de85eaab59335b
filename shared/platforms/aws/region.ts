/** What follows from the name of a region alone. */

export type Partition = 'aws' | 'aws-cn' | 'aws-us-gov';

export const partitionOf = (region: string): Partition =>
  region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';

/** The price list is served in few regions only, and China has its own; the nearest is the quickest. */
export function pricingRegionOf(region: string): string {
  if (partitionOf(region) === 'aws-cn') return 'cn-northwest-1';
  if (region.startsWith('ap-') || region.startsWith('me-')) return 'ap-south-1';
  if (region.startsWith('eu-') || region.startsWith('af-') || region.startsWith('il-')) return 'eu-central-1';
  return 'us-east-1';
}

/** `eu-west-1`, `us-gov-east-1`; the zone `eu-west-1a` is none, and that is the usual mistake. */
export const isRegionName = (text: string): boolean => /^[a-z]{2,}(-[a-z]+)+-\d+$/.test(text);
