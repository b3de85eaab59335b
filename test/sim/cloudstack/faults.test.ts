import { afterEach, expect, test } from 'vitest';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { deploy, order, type StandIn, standIn } from './stand-in.ts';

const open: StandIn[] = [];
const start = async (...given: Parameters<typeof standIn>): Promise<StandIn> => {
  const one = await standIn(...given);
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

test.each<[FaultRule['do'], number, object]>([
  [{ kind: 'throttle', retryAfterSeconds: 2 }, 429, { errortext: expect.stringContaining('2000 ms') }],
  [{ kind: 'conflict' }, 530, { cserrorcode: 4300 }],
  [{ kind: 'error', status: 503, saysNothingDone: true }, 503, { errortext: expect.stringContaining('Maintenance') }],
  [{ kind: 'unauthorised', status: 401 }, 401, {}],
  [{ kind: 'unauthorised' }, 531, {}],
  [{ kind: 'quota' }, 535, { errortext: expect.stringContaining('Maximum amount of resources') }],
  [{ kind: 'refused', status: 534, code: '534', message: 'no storage' }, 534, { errortext: 'no storage' }],
])('%j makes a deploy answer %i, and nothing is there', async (fault, status, body) => {
  const { user, cloudstack } = await start({ faults: [{ on: 'create', count: 1, do: fault }] });
  const answer = await user.send('deployVirtualMachine', order(cloudstack));
  expect(answer).toMatchObject({ status, body: { errorcode: status, ...body } });
  expect(cloudstack.vms()).toEqual([]);
  expect((await user.send('deployVirtualMachine', order(cloudstack))).status).toBe(200);
});

test.each<[FaultRule['do'], number]>([
  [{ kind: 'reset', effect: 'done' }, 1],
  [{ kind: 'reset', effect: 'none' }, 0],
  [{ kind: 'reset', effect: 'late', lateSeconds: 30 }, 0],
  [{ kind: 'timeout', effect: 'done', holdMs: 1 }, 1],
  [{ kind: 'error', status: 502, effect: 'done' }, 1],
  [{ kind: 'garbled', effect: 'done' }, 1],
])('%j loses the answer, and %i are there', async (fault, count) => {
  const { user, advance, cloudstack } = await start({ faults: [{ on: 'create', count: 1, do: fault }] });
  await expect(user.send('deployVirtualMachine', order(cloudstack))).rejects.toThrow();
  expect(cloudstack.living).toBe(count);
  await advance(60);
  const late = fault.kind === 'reset' && fault.effect === 'late';
  expect(cloudstack.living).toBe(late ? 1 : count);
});

test('a rule is aimed at an offering, as the provider calls it, and at a claim, by the display name', async () => {
  const claim = '7c5a8276-bb43-48f9-bde2-9ed71e71d161';
  const world = await start({
    settings: { bootSeconds: 0 },
    faults: [
      {
        on: 'create',
        offering: { instanceType: 'Large-Spot-Instance', zone: 'zone-01', capacityType: 'spot' },
        do: { kind: 'sold-out' },
      },
      { on: 'create', claim, do: { kind: 'operation-fails', code: '534', message: 'no storage for it' } },
    ],
  });
  const { user, advance, cloudstack } = world;
  const poor = await deploy(world, { offering: 'Large Spot Instance' });
  await deploy(world, { offering: 'Large Spot Instance', zone: 'zone-02' });
  const broken = await deploy(world, { displayname: `web (poolwright ${claim}/2/demo/cluster)` });
  await advance(0);
  expect((await user.job(poor.jobid)).body).toMatchObject({ jobstatus: 2, jobresult: { errorcode: 533 } });
  expect((await user.job(broken.jobid)).body).toMatchObject({
    jobstatus: 2,
    jobresult: { errorcode: 534, errortext: 'no storage for it' },
  });
  // What never had a host is in no ledger; it is left over until it is destroyed.
  expect(cloudstack.ledger()).toMatchObject([{ seq: 1, instanceType: 'Large-Spot-Instance', zone: 'zone-02' }]);
  expect(cloudstack.leftovers()).toMatchObject([{ claimUid: null }, { claimUid: claim }]);
});

test('tags are a call of their own, and have faults of their own', async () => {
  const world = await start({ faults: [{ on: 'tag', count: 1, do: { kind: 'reset', effect: 'done' } }] });
  const { user, advance } = world;
  const { id } = await deploy(world);
  const tags = { resourceids: id, resourcetype: 'UserVm', 'tags[0].key': 'a', 'tags[0].value': 'b' };
  await expect(user.send('createTags', tags)).rejects.toThrow();
  await advance(0);
  expect(await user.only('listVirtualMachines', { id })).toMatchObject({ tags: [{ key: 'a', value: 'b' }] });
});

test('machines that are no good: one never runs, one vanishes, one is taken back when its lease says so', async () => {
  const world = await start({ settings: { bootSeconds: 1 } });
  const { user, advance, cloudstack } = world;
  const faulty = async (fault: FaultRule['do']) => {
    cloudstack.setFaults([{ on: 'create', do: fault }]);
    return deploy(world);
  };
  const never = await faulty({ kind: 'never-running' });
  const vanishing = await faulty({ kind: 'vanish', afterSeconds: 5 });
  const taken = await faulty({ kind: 'interrupt', afterSeconds: 5, noticeSeconds: 10 });
  cloudstack.setFaults([]);
  await advance(6);
  expect((await user.job(never.jobid)).body.jobstatus).toBe(0);
  expect(await user.only('listVirtualMachines', { id: never.id })).toMatchObject({ state: 'Starting' });
  expect((await user.send('listVirtualMachines', { id: vanishing.id })).body).toEqual({});
  expect(await user.only('listVirtualMachines', { id: taken.id })).toMatchObject({
    leaseexpiryaction: 'DESTROY',
    leaseexpirydate: '2026-01-01T00:00:15+0000',
  });
  await advance(10);
  expect(cloudstack.ledger().map(({ whyGone }) => whyGone)).toEqual([null, 'vanished', 'interrupted']);
});

test('a hand on the machines: stopped, broken, migrated, destroyed, and told of by the controls', async () => {
  const world = await start({ settings: { bootSeconds: 0, powerSeconds: 1 } });
  const { user, admin, advance, cloudstack } = world;
  const { id } = await deploy(world);
  await advance(0);
  const post = (path: string, body: object) =>
    fetch(`${cloudstack.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const before = (await admin.only('listVirtualMachines', { id, listall: true })).hostid;
  expect((await post('/control/migrate', { vm: id })).status).toBe(202);
  expect((await admin.only('listVirtualMachines', { id, listall: true })).hostid).not.toBe(before);
  expect((await post('/control/stop', { vm: id })).status).toBe(202);
  expect(await user.only('listVirtualMachines', { id })).toMatchObject({ state: 'Stopped' });
  const started = await user.send('startVirtualMachine', { id });
  await advance(1);
  expect((await user.job(started.body.jobid)).body.jobstatus).toBe(1);
  expect((await post('/control/break', { vm: id, state: 'Unknown' })).status).toBe(202);
  expect(await user.only('listVirtualMachines', { id })).toMatchObject({ state: 'Unknown' });
  expect((await post('/control/break', { vm: id, state: 'Odd' })).status).toBe(400);
  expect((await post('/control/destroy', { vm: id })).status).toBe(202);
  expect((await post('/control/destroy', { vm: id })).status).toBe(404);
  expect((await post('/control/capacity', { 'zone-01/*': 0 })).status).toBe(200);
  const poor = await deploy(world);
  await advance(0);
  expect((await user.job(poor.jobid)).body.jobstatus).toBe(2);
  const stats = await (await fetch(`${cloudstack.url}/stats`)).json();
  expect(stats).toMatchObject({ calls: { deployVirtualMachine: 2 }, living: 0, leftovers: 1 });
});
