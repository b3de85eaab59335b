/** Subnets, security groups and placement groups that the terms of a class find. */
import type { Result } from '../../../base/result.ts';
import { ok } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { codeIn } from '../calls/errors.ts';
import { allPages } from '../calls/pages.ts';
import type { ResolvedPlacementGroup, ResolvedSecurityGroup, ResolvedSubnet } from './resolved.ts';
import type { Ec2NodeClassSpec, SecurityGroupTerm, SubnetTerm } from './schema.ts';
import { askAll, questionsOf } from './terms.ts';

/** The one with most free addresses first: it is taken where a zone has several. */
export async function findSubnets(
  calls: Pick<Ec2Calls, 'ec2'>,
  terms: readonly SubnetTerm[],
  signal: AbortSignal,
): Promise<Result<ResolvedSubnet[]>> {
  const found = await askAll(questionsOf(terms, { id: 'subnet-id' }), ({ filters }) =>
    allPages<ResolvedSubnet>(async (token) => {
      const page = await calls.ec2(
        'DescribeSubnets',
        { Filters: filters, ...(token ? { NextToken: token } : {}) },
        signal,
      );
      if (!page.ok) return page;
      const items = (page.value.Subnets ?? []).flatMap((one): ResolvedSubnet[] =>
        one.SubnetId === undefined || one.AvailabilityZone === undefined
          ? []
          : [
              {
                id: one.SubnetId,
                zone: one.AvailabilityZone,
                zoneId: one.AvailabilityZoneId ?? '',
                freeAddresses: one.AvailableIpAddressCount ?? 0,
              },
            ],
      );
      return ok({ items, next: page.value.NextToken });
    }),
  );
  if (!found.ok) return found;
  return ok(found.value.sort((a, b) => b.freeAddresses - a.freeAddresses || byText(a.id, b.id)));
}

export async function findSecurityGroups(
  calls: Pick<Ec2Calls, 'ec2'>,
  terms: readonly SecurityGroupTerm[],
  signal: AbortSignal,
): Promise<Result<ResolvedSecurityGroup[]>> {
  const found = await askAll(questionsOf(terms, { id: 'group-id', name: 'group-name' }), ({ filters }) =>
    allPages<ResolvedSecurityGroup>(async (token) => {
      const input = { Filters: filters, ...(token ? { NextToken: token } : {}) };
      const page = await calls.ec2('DescribeSecurityGroups', input, signal);
      if (!page.ok) return page;
      const items = (page.value.SecurityGroups ?? []).flatMap((one): ResolvedSecurityGroup[] =>
        one.GroupId === undefined ? [] : [{ id: one.GroupId, name: one.GroupName ?? '' }],
      );
      return ok({ items, next: page.value.NextToken });
    }),
  );
  // In one order whatever EC2's is: the launch template's name is made from it.
  return found.ok ? ok(found.value.sort((a, b) => byText(a.id, b.id))) : found;
}

export async function findPlacementGroup(
  calls: Pick<Ec2Calls, 'ec2'>,
  selector: NonNullable<Ec2NodeClassSpec['placementGroupSelector']>,
  signal: AbortSignal,
): Promise<Result<ResolvedPlacementGroup | null>> {
  // Only names can be filtered by; an id that is gone is refused.
  const input =
    selector.id === undefined
      ? { Filters: [{ Name: 'group-name', Values: [selector.name ?? ''] }] }
      : { GroupIds: [selector.id] };
  const answer = await calls.ec2('DescribePlacementGroups', input, signal);
  if (!answer.ok) return codeIn(answer.error).startsWith('InvalidPlacementGroup') ? ok(null) : answer;
  const group = answer.value.PlacementGroups?.find((one) => one.State === undefined || one.State === 'available');
  if (group === undefined) return ok(null);
  return ok({ id: group.GroupId ?? '', name: group.GroupName ?? '', strategy: group.Strategy ?? '' });
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
