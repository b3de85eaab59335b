import { expect, test } from 'vitest';
import { ok } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { findReservations } from './reservations.ts';

const signal = new AbortController().signal;

test('reservations are found page by page, and capacity blocks are passed over', async () => {
  const pages = [
    {
      CapacityReservations: [
        { CapacityReservationId: 'cr-2', InstanceType: 'm5.large', AvailabilityZone: 'a', AvailableInstanceCount: 3 },
        {
          CapacityReservationId: 'cr-block',
          InstanceType: 'p5.48xlarge',
          AvailabilityZone: 'a',
          ReservationType: 'capacity-block',
        },
      ],
      NextToken: 'more',
    },
    {
      CapacityReservations: [
        {
          CapacityReservationId: 'cr-1',
          InstanceType: 'm5.large',
          AvailabilityZone: 'b',
          EndDate: new Date(1000),
          InstanceMatchCriteria: 'targeted',
        },
        { CapacityReservationId: 'cr-odd' },
      ],
    },
  ];
  const asked: unknown[] = [];
  const ec2 = async (_action: string, input: unknown) => {
    asked.push(input);
    return ok(pages[asked.length - 1]);
  };
  const found = await findReservations({ ec2: ec2 as Ec2Calls['ec2'] }, [{ tags: { team: 'web' } }], signal);

  expect(found).toEqual({
    ok: true,
    value: [
      {
        id: 'cr-1',
        instanceType: 'm5.large',
        zone: 'b',
        available: 0,
        ownerId: '',
        matchCriteria: 'targeted',
        endsAt: 1000,
      },
      { id: 'cr-2', instanceType: 'm5.large', zone: 'a', available: 3, ownerId: '', matchCriteria: 'open' },
    ],
  });
  expect(asked).toMatchObject([
    { Filters: [{ Name: 'tag:team', Values: ['web'] }, { Name: 'state' }] },
    { NextToken: 'more' },
  ]);
});
