import { afterEach, describe, expect, test } from 'vitest';
import { deploy, type StandIn, standIn } from './stand-in.ts';

const open: StandIn[] = [];
const start = async (...given: Parameters<typeof standIn>): Promise<StandIn> => {
  const one = await standIn(...given);
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

describe('pages', () => {
  test('show a list of thousands, each thing once; without them it ends after 500', async () => {
    const world = await start({ hostsPerZone: 40 });
    const { user, cloudstack } = world;
    for (let made = 0; made < 1201; made++) cloudstack.launchForeign(`vm-${made}`);
    const first = await user.send('listVirtualMachines', { details: 'min' });
    expect(first.body.count).toBe(1201);
    expect(first.body.virtualmachine).toHaveLength(500);
    const seen = new Set<unknown>();
    for (let page = 1; page <= 3; page++) {
      const { body } = await user.send('listVirtualMachines', { page, pagesize: 500, details: 'min' });
      for (const { id } of body.virtualmachine as { id: string }[]) seen.add(id);
      expect(body.count).toBe(1201);
    }
    expect(seen.size).toBe(1201);
    // Past its end, a list has a count and nothing else.
    expect((await user.send('listVirtualMachines', { page: 4, pagesize: 500 })).body).toEqual({ count: 1201 });
  });

  test.each([
    [{ page: 1 }, '"pagesize" parameter is required when "page" is specified'],
    [{ pagesize: 10 }, '"page" parameter is required when "pagesize" is specified'],
    [{ page: 1, pagesize: 501 }, "Page size can't exceed max allowed page size value: 500"],
  ])('%j are refused', async (values, errortext) => {
    const { user } = await start();
    expect(await user.send('listZones', values)).toMatchObject({ status: 431, body: { errorcode: 431, errortext } });
  });

  test('of another size are refused where the operator allows less', async () => {
    const { user } = await start({ settings: { pageSize: 50 } });
    expect((await user.send('listZones', { page: 1, pagesize: 51 })).status).toBe(431);
    expect((await user.send('listZones', { page: 1, pagesize: 50 })).status).toBe(200);
  });
});

test('a template has a line for each zone that it is in, ready or not', async () => {
  const { user, cloudstack } = await start();
  const [zone] = cloudstack.site.zones.values();
  const name = 'ubuntu-22.04-kubernetes';
  const lines = await user.list('listTemplates', { templatefilter: 'executable', name });
  expect(lines.map(({ zonename }) => zonename)).toEqual(['zone-01', 'zone-02', 'zone-03']);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(1);
  const here = await user.list('listTemplates', { templatefilter: 'executable', zoneid: zone?.id });
  expect(here.find((one) => one.name === 'debian-12-uploading')).toMatchObject({ isready: false });
  expect(here.find((one) => one.name === 'rocky-9')).toMatchObject({ isready: true, arch: 'x86_64' });
  expect((await user.send('listTemplates', { templatefilter: 'all' })).status).toBe(431);
  expect((await user.send('listTemplates')).body.errortext).toContain('missing parameter templatefilter');
});

test('offerings have details, host tags and GPUs, and no tags; those that are retired are not listed', async () => {
  const { user } = await start();
  const offerings = await user.list('listServiceOfferings');
  const named = (name: string) => offerings.find((one) => one.name === name);
  expect(named('Medium Instance')).toMatchObject({
    cpunumber: 2,
    memory: 8192,
    iscustomized: false,
    serviceofferingdetails: { 'compute-type': 'general-purpose' },
  });
  expect(named('GPU T4 Spot Instance')).toMatchObject({ hosttags: 'gpu,spot', gpucardname: 'NVIDIA T4', gpucount: 1 });
  expect(named('Custom Instance')).toMatchObject({
    iscustomized: true,
    serviceofferingdetails: { mincpunumber: '1', maxcpunumber: '64', minmemory: '512', maxmemory: '262144' },
  });
  expect(named('Custom Instance')).not.toHaveProperty('cpunumber');
  expect(named('Retired Instance')).toBeUndefined();
  expect(offerings.some((one) => 'tags' in one)).toBe(false);
});

test('an account sees what is its own, a project what is in it, and an administrator everything on request', async () => {
  const world = await start({ settings: { bootSeconds: 0 } });
  const { user, admin, cloudstack } = world;
  const [project] = cloudstack.site.projects.values();
  await deploy(world, { name: 'own' });
  await deploy(world, { name: 'shared', projectid: project?.id });
  const ofAdmin = await deploy(world, { name: 'of-admin' }, admin);
  const names = async (client: typeof user, values = {}) =>
    (await client.list('listVirtualMachines', values)).map(({ name }) => name).sort();
  expect(await names(user)).toEqual(['own']);
  expect(await names(user, { listall: true })).toEqual(['own']);
  expect(await names(user, { projectid: project?.id })).toEqual(['shared']);
  expect(await names(user, { projectid: -1 })).toEqual(['shared']);
  expect(await names(admin)).toEqual(['of-admin']);
  expect(await names(admin, { listall: true })).toEqual(['of-admin', 'own']);
  expect(await user.send('listVirtualMachines', { id: ofAdmin.id })).toMatchObject({ status: 531 });
  expect(await user.send('destroyVirtualMachine', { id: ofAdmin.id })).toMatchObject({ status: 531 });
  const [shared] = await user.list('listVirtualMachines', { projectid: project?.id });
  expect(shared).toMatchObject({ project: 'nodes', domain: 'team', domainpath: 'ROOT/team' });
  expect(shared).not.toHaveProperty('account');
});

test('a list may show the world as it was: without what is new, with what is gone', async () => {
  const world = await start({ settings: { bootSeconds: 0, destroySeconds: 0 } });
  const { user, advance, cloudstack } = world;
  const { id } = await deploy(world, { name: 'old' });
  await advance(60);
  cloudstack.setFaults([{ on: 'list', do: { kind: 'lag', seconds: 30 } }]);
  await deploy(world, { name: 'new' });
  await user.send('destroyVirtualMachine', { id, expunge: true });
  await advance(1);
  const shown = await user.list('listVirtualMachines');
  expect(shown.map(({ name, state }) => [name, state])).toEqual([['old', 'Running']]);
  await advance(40);
  expect((await user.list('listVirtualMachines')).map(({ name }) => name)).toEqual(['new']);
});

test('capacity and hosts are for administrators, and follow what runs', async () => {
  const world = await start({ settings: { bootSeconds: 0 } });
  const { user, admin, cloudstack } = world;
  const [zone] = cloudstack.site.zones.values();
  const cores = async () => (await admin.only('listCapacity', { zoneid: zone?.id, type: 90 })).capacityused;
  const before = await cores();
  await deploy(world, { offering: 'Extra Large Instance' });
  await world.advance(0);
  expect(Number(await cores()) - Number(before)).toBe(8);
  expect((await user.send('listCapacity')).status).toBe(401);
  expect((await admin.list('listHosts', { zoneid: zone?.id })).length).toBe(56);
  const [listed] = await user.list('listZones', { id: zone?.id, showcapacities: true });
  expect(listed).toMatchObject({ name: 'zone-01', gputotal: 96, gpuused: 0 });
});
