import { DescribeImagesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tags as tagKeys } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { codeOf, fleetOf, instancesOf, makeTemplate, type StandIn, standIn } from './stand-in.ts';

let world: StandIn;
let template: string;
beforeEach(async () => {
  world = await standIn({ settings: { pendingSeconds: 1, shutdownSeconds: 1 } });
  template = await makeTemplate(world);
});
afterEach(() => world.close());

const tags = { [tagKeys.claimUid]: 'uid-1', [tagKeys.claim]: 'web-1' };
const launch = () => world.ec2.send(fleetOf(template, [['m5.large', 0]], { tags, ClientToken: 'one' }));
const strike = (rule: FaultRule['do'], more: Partial<FaultRule> = {}) =>
  world.aws.setFaults([{ on: 'create', count: 1, ...more, do: rule }]);

describe('a fault strikes', () => {
  test.each([
    [{ kind: 'throttle' }, 'RequestLimitExceeded'],
    [{ kind: 'error', status: 500 }, 'InternalError'],
    [{ kind: 'error', status: 503 }, 'Unavailable'],
    [{ kind: 'unauthorised' }, 'UnauthorizedOperation'],
    [{ kind: 'unauthorised', status: 401 }, 'AuthFailure'],
    [{ kind: 'refused', status: 400, code: 'MaxFleetCountExceeded', message: 'no' }, 'MaxFleetCountExceeded'],
  ] as const)('the call as %j, once and without a trace', async (fault, code) => {
    strike(fault);
    expect(await codeOf(launch())).toBe(code);
    expect(world.aws.living).toBe(0);
    expect(await codeOf(launch())).toBe('none');
    expect(world.aws.living).toBe(1);
  });

  test('all offerings of a call when it names none, and is told in the fleet’s errors', async () => {
    strike({ kind: 'sold-out' });
    expect((await launch()).Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual(['InsufficientInstanceCapacity']);
    // The token's answer stands: the same call is told the same again.
    expect((await launch()).Errors).toHaveLength(1);
    expect(world.aws.living).toBe(0);
  });

  test('one offering with any code that a launch can have', async () => {
    const message = 'no';
    strike(
      { kind: 'refused', status: 400, code: 'InsufficientFreeAddressesInSubnet', message },
      { offering: { zone: 'us-east-1a' } },
    );
    const answer = await world.ec2.send(
      fleetOf(template, [
        ['m5.large', 0],
        ['m5.large', 1],
      ]),
    );
    expect(answer.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual(['InsufficientFreeAddressesInSubnet']);
    expect(answer.Instances).toHaveLength(1);
  });

  test('only the claim that it is meant for', async () => {
    strike({ kind: 'throttle' }, { claim: 'uid-2' });
    expect(await codeOf(launch())).toBe('none');
    strike({ kind: 'throttle' }, { on: 'delete', claim: 'uid-1' });
    const [{ id = '' } = {}] = world.aws.ledger();
    const end = () => world.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect([await codeOf(end()), await codeOf(end())]).toEqual(['RequestLimitExceeded', 'none']);
  });

  test('look-ups, too', async () => {
    strike({ kind: 'error', status: 503 }, { on: 'types' });
    const look = () => codeOf(world.ec2.send(new DescribeImagesCommand({ Owners: ['self'] })));
    expect([await look(), await look()]).toEqual(['Unavailable', 'none']);
  });
});

describe('an answer that is lost', () => {
  test('may come from a launch that happens later all the same', async () => {
    strike({ kind: 'reset', effect: 'late', lateSeconds: 20 });
    expect(await codeOf(launch())).not.toBe('none');
    await world.advance(19);
    expect(world.aws.living).toBe(0);
    await world.advance(1);
    expect(world.aws.living).toBe(1);
    // Whoever asks with the token in between has taken its place: there is one machine, however late the first call is.
    expect((await launch()).Instances).toHaveLength(1);
    expect(world.aws.living).toBe(1);
  });

  test('is no second machine when the late launch finds its token used', async () => {
    strike({ kind: 'reset', effect: 'late', lateSeconds: 20 });
    await codeOf(launch());
    await launch();
    await world.advance(20);
    expect(world.aws.living).toBe(1);
    expect(world.aws.overlaps()).toEqual([]);
  });
});

test('a machine can be bad: it never runs, or vanishes', async () => {
  strike({ kind: 'never-running' });
  await launch();
  await world.advance(600);
  const [{ id = '' } = {}] = world.aws.ledger();
  expect((await instancesOf(world.ec2, { InstanceIds: [id] }))[0]?.State?.Name).toBe('pending');
  expect(world.aws.vanish(id)).toBe(true);
  const [gone] = await instancesOf(world.ec2, { InstanceIds: [id] });
  expect(gone).toMatchObject({ State: { Name: 'terminated' }, StateReason: { Code: 'Server.InternalError' } });
});

test('the controls tell what there is, and whose', async () => {
  await launch();
  const ask = async (method: string, path: string, body?: object): Promise<[number, unknown]> => {
    const answer = await fetch(`${world.aws.url}${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    return [answer.status, await answer.json()];
  };
  expect(await ask('GET', '/healthz')).toEqual([200, { status: 'ok' }]);
  expect(await ask('GET', '/ledger')).toMatchObject([
    200,
    { items: [{ claimUid: 'uid-1', instanceType: 'm5.large', goneAt: null, token: 'one' }] },
  ]);
  expect(await ask('GET', '/stats')).toMatchObject([200, { living: 1, fleets: 1, calls: { 'ec2:CreateFleet': 1 } }]);
  expect(await ask('POST', '/faults', [{ on: 'nothing' }])).toMatchObject([400, {}]);
  const [, foreign] = await ask('POST', '/control/foreign-instances', { name: 'theirs' });
  expect(foreign).toMatchObject({ id: expect.stringMatching(/^i-0/) });
  expect(await ask('POST', '/control/vanish', { instance: 'i-0nobody' })).toMatchObject([404, {}]);
  const [{ id = '' } = {}] = world.aws.ledger();
  expect(await ask('POST', '/control/reclaim', { instance: id, noticeSeconds: 5 })).toEqual([202, {}]);
  expect(await ask('GET', '/messages?after=1')).toMatchObject([
    200,
    { items: [{ detail: { state: 'pending' } }, { 'detail-type': 'EC2 Spot Instance Interruption Warning' }], next: 3 },
  ]);
  await world.advance(6);
  expect(world.aws.living).toBe(1);
});
