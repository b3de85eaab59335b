import { afterEach, expect, test } from 'vitest';
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

test('a VM is there from the first answer on, runs when its job is done, and is gone when it is expunged', async () => {
  const world = await start({ settings: { bootSeconds: 10, destroySeconds: 5 } });
  const { user, advance, cloudstack } = world;
  const { id, jobid } = await deploy(world, { name: 'node-1', displayname: 'Ñode 1', group: 'demo' });
  expect(await user.only('listVirtualMachines', { id })).toMatchObject({ state: 'Starting', name: 'node-1' });
  expect((await user.job(jobid)).body).toMatchObject({ jobstatus: 0, jobinstanceid: id, jobresultcode: 0 });
  await advance(10);
  const { body } = await user.job(jobid);
  expect(body).toMatchObject({
    jobstatus: 1,
    jobresulttype: 'object',
    jobresult: {
      virtualmachine: {
        id,
        displayname: 'Ñode 1',
        state: 'Running',
        group: 'demo',
        cpunumber: 2,
        memory: 8192,
        zonename: 'zone-01',
        nic: [{ isdefault: true, ipaddress: '10.10.0.2' }],
      },
    },
  });
  const destroyed = await user.send('destroyVirtualMachine', { id, expunge: true });
  expect(destroyed.body).toEqual({ jobid: expect.any(String) });
  expect(await user.only('listVirtualMachines', { id })).toMatchObject({ state: 'Stopping' });
  await advance(5);
  // It is known, so the answer is an empty list; an id that never was is an error.
  expect((await user.send('listVirtualMachines', { id })).body).toEqual({});
  expect(await user.send('listVirtualMachines', { id: '00000000-0000-4000-8000-000000000000' })).toMatchObject({
    status: 431,
    name: 'listvirtualmachinesresponse',
    body: { errorcode: 431, cserrorcode: 4350 },
  });
  expect(cloudstack.living).toBe(0);
  expect(cloudstack.volumes()).toEqual([]);
  expect(cloudstack.ledger()).toMatchObject([{ id, name: 'node-1', whyGone: 'deleted' }]);
});

test('tags come in a call of their own, find what has any of them, and are refused when they are there already', async () => {
  const world = await start();
  const { user, advance } = world;
  const one = await deploy(world, { name: 'one' });
  const two = await deploy(world, { name: 'two' });
  const tag = (id: string, key: string, value: string) =>
    user.send('createTags', { resourceids: id, resourcetype: 'UserVm', 'tags[0].key': key, 'tags[0].value': value });
  await tag(one.id, 'a', '1');
  await tag(two.id, 'b', 'zwei–2');
  const again = await tag(one.id, 'a', '1');
  await advance(0);
  expect((await user.job(again.body.jobid)).body).toMatchObject({
    jobstatus: 2,
    jobresultcode: 530,
    jobresult: { errorcode: 530, errortext: expect.stringContaining('tag a already on UserVm') },
  });
  const empty = await tag(one.id, 'c', '');
  await advance(0);
  expect((await user.job(empty.body.jobid)).body).toMatchObject({
    jobstatus: 2,
    jobresult: { errortext: 'Value for the key c is either null or empty' },
  });
  const found = await user.list('listVirtualMachines', {
    'tags[0].key': 'a',
    'tags[0].value': '1',
    'tags[1].key': 'b',
    'tags[1].value': 'zwei–2',
  });
  expect(found.map(({ name }) => name).sort()).toEqual(['one', 'two']);
  expect(await user.list('listVirtualMachines', { 'tags[0].key': 'a', 'tags[0].value': '2' })).toEqual([]);
  expect(await user.list('listTags', { resourcetype: 'UserVm' })).toMatchObject([
    { key: 'a', value: '1', resourceid: one.id, resourcetype: 'UserVm', account: 'kubernetes', domain: 'team' },
    { key: 'b', value: 'zwei–2' },
  ]);
});

test('what is out of capacity is refused in the job, and leaves a VM in Error that somebody must destroy', async () => {
  const world = await start({ settings: { capacity: { 'zone-01/spot': 0 } } });
  const { user, advance, cloudstack } = world;
  const { id, jobid } = await deploy(world, { offering: 'Medium Spot Instance', name: 'poor' });
  await advance(0);
  expect((await user.job(jobid)).body).toMatchObject({ jobstatus: 2, jobresult: { errorcode: 533 } });
  expect(await user.only('listVirtualMachines', { id })).toMatchObject({ state: 'Error' });
  expect(cloudstack.counts().leftovers).toBe(1);
  expect(cloudstack.living).toBe(0);
  await deploy(world, { offering: 'Medium Spot Instance', zone: 'zone-02' });
  expect(cloudstack.living).toBe(1);
  const again = await user.send('deployVirtualMachine', order(cloudstack, { name: 'poor' }));
  expect(again).toMatchObject({ status: 431, body: { errortext: expect.stringContaining('already exists') } });
  await user.send('destroyVirtualMachine', { id, expunge: true });
  await advance(1);
  expect(cloudstack.counts().leftovers).toBe(0);
});
