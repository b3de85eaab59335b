/** Capacity reservations that the terms of a class find, as far as something is left of them. */
import type { CapacityReservation, Filter } from '@aws-sdk/client-ec2';
import { ok, type Result } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { codeIn } from '../calls/errors.ts';
import { allPages } from '../calls/pages.ts';
import type { ResolvedReservation } from './resolved.ts';
import type { ReservationTerm } from './schema.ts';
import { askAll, questionsOf } from './terms.ts';

export async function findReservations(
  calls: Pick<Ec2Calls, 'ec2'>,
  terms: readonly ReservationTerm[],
  signal: AbortSignal,
): Promise<Result<ResolvedReservation[]>> {
  // Reservations can't be filtered by id, and a list of ids is refused as soon as one of them is gone: so each is asked for alone.
  const byId = terms.filter(({ id }) => id !== undefined);
  const questions = [
    ...byId.map((term) => ({ filters: [], terms: [term] })),
    ...questionsOf(
      terms.filter(({ id }) => id === undefined),
      { id: '' },
    ),
  ];
  const found = await askAll(questions, ({ filters, terms: [term] }) => ask(calls, filters, term, signal));
  return found.ok ? ok(found.value.sort((a, b) => (a.id < b.id ? -1 : 1))) : found;
}

async function ask(
  calls: Pick<Ec2Calls, 'ec2'>,
  filters: readonly Filter[],
  { id, ownerID, instanceMatchCriteria }: ReservationTerm = {},
  signal: AbortSignal,
): Promise<Result<ResolvedReservation[]>> {
  const Filters = [
    ...filters,
    { Name: 'state', Values: ['active'] },
    ...(ownerID === undefined ? [] : [{ Name: 'owner-id', Values: [ownerID] }]),
    ...(instanceMatchCriteria === undefined
      ? []
      : [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }]),
  ];
  const all = await allPages<ResolvedReservation>(async (token) => {
    const ids = id === undefined ? {} : { CapacityReservationIds: [id] };
    const input = { ...ids, Filters, ...(token ? { NextToken: token } : {}) };
    const page = await calls.ec2('DescribeCapacityReservations', input, signal);
    if (!page.ok) return page;
    return ok({ items: (page.value.CapacityReservations ?? []).flatMap(toReservation), next: page.value.NextToken });
  });
  const isGone = !all.ok && codeIn(all.error).startsWith('InvalidCapacityReservationId');
  return isGone ? ok([]) : all;
}

function toReservation(one: CapacityReservation): ResolvedReservation[] {
  const { CapacityReservationId: id, InstanceType: instanceType, AvailabilityZone: zone, EndDate } = one;
  // A block is bought by another kind of fleet; to offer it would be a promise that EC2 refuses to keep.
  if (one.ReservationType === 'capacity-block') return [];
  if (id === undefined || instanceType === undefined || zone === undefined) return [];
  return [
    {
      id,
      instanceType,
      zone,
      available: one.AvailableInstanceCount ?? 0,
      ownerId: one.OwnerId ?? '',
      matchCriteria: one.InstanceMatchCriteria === 'targeted' ? 'targeted' : 'open',
      ...(EndDate === undefined ? {} : { endsAt: EndDate.getTime() }),
    },
  ];
}
