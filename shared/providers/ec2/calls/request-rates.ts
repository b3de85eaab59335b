/** How many requests EC2 allows per account and region, by action, as its documentation has it; a configuration may know better. */

import type { Rate } from '../../../base/pace/request-bucket.ts';
import type { Ec2Exchanges } from '../clients/ec2.ts';

const reads: Rate = { burst: 100, perSecond: 20 };
const writes: Rate = { burst: 50, perSecond: 5 };

const documented: Readonly<Record<keyof Ec2Exchanges, Rate>> = {
  CreateFleet: writes,
  CreateLaunchTemplate: writes,
  CreateTags: { burst: 100, perSecond: 10 },
  DeleteLaunchTemplate: writes,
  DescribeAvailabilityZones: reads,
  DescribeCapacityReservations: reads,
  DescribeImages: reads,
  DescribeInstances: reads,
  DescribeInstanceTypeOfferings: reads,
  DescribeInstanceTypes: reads,
  DescribeLaunchTemplates: reads,
  DescribePlacementGroups: reads,
  DescribeSecurityGroups: reads,
  DescribeSpotPriceHistory: { burst: 50, perSecond: 10 },
  DescribeSubnets: reads,
  TerminateInstances: writes,
};
const rates: ReadonlyMap<string, Rate> = new Map(Object.entries(documented));

/** A variable of the environment can't write capitals: `create-fleet` is CreateFleet. */
const plain = (action: string): string => action.replaceAll(/[-_]/g, '').toLowerCase();

export function rateOf(action: string, configured: Readonly<Record<string, Rate>>): Rate {
  const wanted = plain(action);
  const given = Object.entries(configured).find(([name]) => plain(name) === wanted)?.[1];
  return given ?? rates.get(action) ?? (/^(Describe|Get|List)/.test(action) ? reads : writes);
}

/** What makes and ends machines: a hundred functions at once draw from one bucket. */
const sharedActions: ReadonlySet<string> = new Set(['CreateFleet', 'TerminateInstances']);

export const isSharedAction = (action: string): boolean => sharedActions.has(action);

/** Names that are no action of ours: their rates would be kept to by nobody. */
export function unknownActions(configured: Readonly<Record<string, Rate>>): string[] {
  const known = new Set([...rates.keys()].map(plain));
  return Object.keys(configured).filter((name) => !known.has(plain(name)));
}

export const pacedActions: readonly string[] = [...rates.keys()];
