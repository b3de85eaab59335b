import { afterEach, describe, expect, test } from 'vitest';
import { startCloudStack } from '../../../sim/cloudstack/start.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import { order, type Sent, type StandIn, standIn } from './stand-in.ts';

const open: StandIn[] = [];
const start = async (...given: Parameters<typeof standIn>): Promise<StandIn> => {
  const one = await standIn(...given);
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const refused = {
  status: 401,
  name: 'listzonesresponse',
  body: {
    uuidList: [],
    errorcode: 401,
    errortext: 'unable to verify user credentials and/or request signature',
  },
};

describe('a request', () => {
  test.each<[string, Sent]>([
    ['with another signature', { signature: 'q1VhJvbOber21Zldr7MHx8h3Dm4=' }],
    ['with no signature', { signature: '' }],
    ['of an unknown key', { keys: { apiKey: 'nobody', secretKey: 'x' } }],
    ['that has expired', { expiresIn: -1 }],
    ['that is good for longer than a quarter of an hour', { expiresIn: 901 }],
    ['without an expiry', { version: '' }],
    ['of another version of signatures', { version: '2' }],
  ])('%s is refused in the same words', async (_what, sent) => {
    const { user } = await start();
    expect(await user.send('listZones', {}, sent)).toEqual(refused);
  });

  test('signs its values as Java encodes them, in any script, by POST and by GET', async () => {
    const { user } = await start();
    for (const method of ['POST', 'GET'] as const) {
      const { status, body } = await user.send('listZones', { name: "a b*~(c)/é!'日本" }, { method });
      expect([status, body]).toEqual([200, {}]);
    }
  });

  test('that changes something has to be a POST, and may be good for longer, only where that is enforced', async () => {
    const strict = await start();
    const values = order(strict.cloudstack);
    expect((await strict.user.send('deployVirtualMachine', values, { method: 'GET' })).status).toBe(405);
    const lax = await start({ settings: { enforcePost: false } });
    expect((await lax.user.send('listZones', {}, { version: '' })).status).toBe(200);
    expect((await lax.user.send('listZones', {}, { expiresIn: 86_400 })).status).toBe(200);
    expect((await lax.user.send('listZones', {}, { expiresIn: -1 })).status).toBe(401);
    const deployed = await lax.user.send('deployVirtualMachine', order(lax.cloudstack), { method: 'GET' });
    expect(deployed.status).toBe(200);
  });

  test('without JSON is answered in XML, and one to another host not at all', async () => {
    const { cloudstack } = await start();
    const answer = await fetch(`${cloudstack.api}?command=listZones`);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('<listzonesresponse><errorcode>401</errorcode>');
    expect((await fetch(`${cloudstack.url}/client/other`)).status).toBe(404);
  });
});

test('a role has the commands that listApis says, and is told which one it has not', async () => {
  const { user, admin } = await start({ denied: ['createTags'] });
  const apis = (await user.list('listApis')).map(({ name }) => name);
  expect(apis).toContain('deployVirtualMachine');
  expect(apis).not.toContain('createTags');
  expect(apis).not.toContain('listHosts');
  expect((await admin.list('listApis')).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['createTags', 'listHosts']),
  );
  const [deploy] = await user.list('listApis', { name: 'deployVirtualMachine' });
  expect(deploy).toMatchObject({
    isasync: true,
    params: expect.arrayContaining([expect.objectContaining({ name: 'zoneid', type: 'uuid', required: true })]),
  });
  const { status, body } = await user.send('createTags', { resourceids: 'a', resourcetype: 'UserVm' });
  expect([status, body.errortext]).toEqual([
    401,
    "The given command 'createTags' either does not exist, is not available for user.",
  ]);
  const old = await start({ denied: ['createTags'], settings: { refusedCommandCode: 432 } });
  expect((await old.user.send('createTags')).status).toBe(432);
});

test('an account that asks too often waits for the next interval; others do not', async () => {
  const { user, admin, advance, cloudstack } = await start({ settings: { callLimit: 25 } });
  for (let count = 0; count < 25; count++) expect((await user.send('listZones')).status).toBe(200);
  expect(await user.send('listZones')).toMatchObject({
    status: 429,
    body: { errorcode: 429, errortext: expect.stringContaining('please retry after 1000 ms') },
  });
  expect((await admin.send('listCapabilities')).body.capability).toMatchObject({
    apilimitmax: 25,
    apilimitinterval: 1,
  });
  await advance(1);
  expect((await user.send('listZones')).status).toBe(200);
  expect(cloudstack.counts().throttled).toBe(1);
});

test('it speaks https with a certificate that its client has to be told of', async () => {
  const certificate = selfSigned('cloud.example');
  const cloudstack = await startCloudStack({ certificate });
  try {
    expect(cloudstack.api).toMatch(/^https:/);
    await expect(fetch(`${cloudstack.api}?command=listZones&response=json`)).rejects.toThrow();
  } finally {
    await cloudstack.close();
  }
});
