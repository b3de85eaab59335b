import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import { failed, ok } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import { forgetSecrets } from '../../base/secrets/known-secrets.ts';
import { type CloudStackClientOptions, type CloudStackPace, createCloudStackClient } from './client.ts';
import { cloudStackCodes as codes } from './codes.ts';
import type { CloudStackCredentials } from './credentials.ts';
import { signatureOf } from './signature.ts';

const signal = new AbortController().signal;
const start = Date.UTC(2026, 0, 1);
const keys = { apiKey: 'fake-key-0123456789', secretKey: 'fake-secret-0123456789' };

type Answer = { status?: number; body: unknown; headers?: Record<string, string> };
type Listener = (
  fields: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
) => Answer | undefined;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A server that answers each command as it is told, at the time of its own clock. */
async function world(listener: Listener, more: Partial<CloudStackClientOptions> = {}, secure?: https.ServerOptions) {
  const clock = manualClock(start);
  const serverClock = manualClock(start);
  const asked: Record<string, string>[] = [];
  const requests: IncomingMessage[] = [];
  const answerAll = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    asked.push(fields);
    requests.push(request);
    const answer = listener(fields, request, response);
    if (answer === undefined) return;
    const { status = 200, body, headers } = answer;
    response.writeHead(status, { date: new Date(serverClock.now()).toUTCString(), ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const server =
    secure === undefined
      ? http.createServer((request, response) => void answerAll(request, response))
      : https.createServer(secure, (request, response) => void answerAll(request, response));
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const { port } = server.address() as AddressInfo;
  const apiUrl = `${secure === undefined ? 'http' : 'https'}://127.0.0.1:${port}/client/api`;
  let credentials: CloudStackCredentials = { apiUrl, ...keys };
  const client = createCloudStackClient({
    credentials: { get: () => Promise.resolve(ok(credentials)) },
    clock,
    ...more,
  });
  onTestFinished(() => {
    client.close();
    server.close();
    server.closeAllConnections();
  });
  const setCredentials = (next: Partial<CloudStackCredentials>): void => {
    credentials = { ...credentials, ...next };
  };
  return { client, clock, serverClock, asked, requests, apiUrl, setCredentials };
}

const unverified: Answer = {
  status: 401,
  body: { errorresponse: { errorcode: 401, errortext: 'unable to verify user credentials and/or request signature' } },
};
const refusal = (code: number, text: string): Answer => ({
  status: code,
  body: { xresponse: { uuidList: [], errorcode: code, cserrorcode: 4250, errortext: text } },
});

describe('a command to CloudStack', () => {
  it('is a POST with a signature that expires in ten minutes', async () => {
    const { client, asked, requests } = await world(() => ({ body: { listzonesresponse: { count: 0 } } }));
    expect(await client.call('listZones', { name: 'a b*~(c)/é', tags: [{ key: 'k', value: 'ö+&' }] }, signal)).toEqual(
      ok({ count: 0 }),
    );
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/client/api' });
    const { signature, ...signed } = asked[0] ?? {};
    expect(signed).toEqual({
      command: 'listZones',
      name: 'a b*~(c)/é',
      'tags[0].key': 'k',
      'tags[0].value': 'ö+&',
      apiKey: keys.apiKey,
      response: 'json',
      signatureVersion: '3',
      expires: '2026-01-01T00:10:00+0000',
    });
    expect(signature).toBe(signatureOf(signed, keys.secretKey));
  });

  it('is a write on a new connection, because a kept one may just be closing', async () => {
    const { client, requests } = await world(() => ({ body: { xresponse: { jobid: 'j' } } }));
    await client.call('listZones', {}, signal);
    await client.call('deployVirtualMachine', {}, signal);
    await client.call('listZones', {}, signal);
    const ports = requests.map(({ socket }) => socket.remotePort);
    expect(ports[1]).not.toBe(ports[0]);
    expect(ports[2]).toBe(ports[0]);
  });

  it('whose answer is lost may have been done if it was a write, and has done nothing if it was a read', async () => {
    const { client, asked } = await world((_fields, request) => void request.socket.destroy());
    expect(await client.call('deployVirtualMachine', {}, signal)).toMatchObject({
      ok: false,
      error: { kind: 'outcome-unknown', code: codes.unreachable },
    });
    expect(asked).toHaveLength(1);
    expect(await client.call('listZones', {}, signal)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    // A read is asked once more, on another connection.
    expect(asked).toHaveLength(3);
  });

  it('that never left has certainly done nothing', async () => {
    const { client, setCredentials } = await world(() => undefined);
    setCredentials({ apiUrl: 'http://127.0.0.1:1/client/api' });
    expect(await client.call('deployVirtualMachine', {}, signal)).toMatchObject({
      ok: false,
      error: { kind: 'unavailable', code: codes.unreachable, message: expect.stringContaining('cannot be reached') },
    });
  });
});

describe('what CloudStack refuses', () => {
  it('is told without the user data that it quotes', async () => {
    const userdata = Buffer.from(
      '#cloud-config\nruncmd: [kubeadm join --token abcdef.0123456789abcdef]\n'.repeat(4),
    ).toString('base64');
    const text = `Unable to execute API command due to invalid value. Invalid parameter userdata value=${userdata}`;
    const { client } = await world(() => refusal(431, text));
    const answer = await client.call('deployVirtualMachine', { userdata }, signal);
    expect(JSON.stringify(answer)).toContain('parameter userdata value=…');
    expect(JSON.stringify(answer)).not.toContain(userdata.slice(0, 30));
  });

  it.each([
    [400, 'bad', 'invalid', codes.refused],
    [405, 'no', 'unauthorised', codes.command],
    [430, 'malformed', 'invalid', codes.refused],
    [431, 'Unable to find uuid for id', 'not-found', codes.notFound],
    [
      431,
      'Unable to execute API command destroyvirtualmachine due to invalid value. Invalid parameter id value=x due to incorrect long value format, or entity does not exist',
      'not-found',
      codes.notFound,
    ],
    [431, 'Invalid CPU speed value, specify a value', 'invalid', codes.refused],
    [
      432,
      "The given command 'deployVirtualMachine' either does not exist, is not available for user",
      'unauthorised',
      codes.command,
    ],
    [432, 'Unsupported', 'invalid', codes.refused],
    [401, 'the user is not allowed to request the API command', 'unauthorised', codes.command],
    [503, 'starting', 'outcome-unknown', undefined],
    [511, 'two factor', 'unauthorised', codes.secondFactor],
    [530, 'Internal error', 'outcome-unknown', undefined],
    [531, 'Acct does not have permission', 'unauthorised', codes.account],
    [532, 'Maximum number of resources of type user_vm exceeded', 'quota-exceeded', codes.quota],
    [533, 'Unable to create a deployment', 'insufficient-capacity', codes.capacity],
    [534, 'Resource is unavailable', 'insufficient-capacity', codes.capacity],
    [535, 'Resource allocation failed', 'quota-exceeded', codes.quota],
    [536, 'in use', 'conflict', codes.inUse],
    [537, 'rule conflict', 'conflict', codes.inUse],
  ])('error %i "%s" is %s', async (code, text, kind, name) => {
    const { client } = await world(() => refusal(code, text));
    const answer = await client.call('deployVirtualMachine', {}, signal);
    if (answer.ok) expect.fail('it was refused');
    expect(answer.error).toMatchObject({ kind, cause: `error ${code}, exception 4250` });
    expect(answer.error.code).toBe(name);
    expect(answer.error.message).toMatch(/^deployVirtualMachine: /);
    expect(answer.error.message).toContain(text);
    if (name === codes.command) expect(answer.error.message).toContain('the command deployVirtualMachine');
  });

  it('is unavailable, not unknown, where the command only reads', async () => {
    const { client } = await world(() => refusal(530, 'Internal error'));
    expect(await client.call('listZones', {}, signal)).toMatchObject({ error: { kind: 'unavailable' } });
  });

  it('has no secret in it, even where the server quotes one', async () => {
    forgetSecrets();
    onTestFinished(forgetSecrets);
    const { client } = await world(() => refusal(431, `wrong ${keys.secretKey} of ${keys.apiKey}`));
    expect(JSON.stringify(await client.call('listZones', {}, signal))).not.toMatch(/fake-(key|secret)/);
  });
});

describe('the request limit', () => {
  const tooFast = refusal(429, 'The given user has reached his/her account api limit, please retry after 312 ms.');

  function paceOf(): { pace: CloudStackPace; entered: (string | undefined)[]; refused: (number | undefined)[] } {
    const entered: (string | undefined)[] = [];
    const refused: (number | undefined)[] = [];
    const pace: CloudStackPace = {
      enter: async (who) => {
        entered.push(who);
        return ok(undefined);
      },
      reserve: async () => ok(undefined),
      refused: (seconds) => void refused.push(seconds),
    };
    return { pace, entered, refused };
  }

  it('holds a call back, which then goes again by itself: a refused one has done nothing', async () => {
    const { pace, entered, refused } = paceOf();
    let calls = 0;
    const { client } = await world(
      () => (++calls < 3 ? tooFast : { body: { deployvirtualmachineresponse: { id: 'v' } } }),
      {
        paceOf: () => pace,
      },
    );
    expect(await client.call('deployVirtualMachine', {}, signal, { who: 'claim-1' })).toEqual(ok({ id: 'v' }));
    expect(entered).toEqual(['claim-1', 'claim-1', 'claim-1']);
    expect(refused).toEqual([0.312, 0.312]);
  });

  it('ends the call as throttled, with the pause, when it lasts', async () => {
    const { pace } = paceOf();
    const { client, asked } = await world(() => tooFast, { paceOf: () => pace });
    expect(await client.call('listZones', {}, signal)).toMatchObject({
      error: { kind: 'throttled', retryAfterSeconds: 0.312 },
    });
    expect(asked).toHaveLength(3);
  });

  it('of ours sends nothing while there is no room', async () => {
    const pace = { ...paceOf().pace, enter: async () => failed('throttled', 'queued', { retryAfterSeconds: 7 }) };
    const { client, asked } = await world(() => tooFast, { paceOf: () => pace });
    expect(await client.call('listZones', {}, signal)).toMatchObject({ error: { retryAfterSeconds: 7 } });
    expect(asked).toHaveLength(0);
  });

  it('is one for each account', async () => {
    const accounts: string[] = [];
    const { client, setCredentials } = await world(() => ({ body: { listzonesresponse: {} } }), {
      paceOf: (account) => {
        accounts.push(account);
        return paceOf().pace;
      },
    });
    await client.call('listZones', {}, signal);
    await client.call('listZones', {}, signal);
    setCredentials({ apiKey: 'another-key-0123456789' });
    await client.call('listZones', {}, signal);
    expect(new Set(accounts).size).toBe(2);
    expect(accounts.join()).not.toContain('key');
  });
});

describe('credentials and clocks', () => {
  it('names wrong ones, and asks its source for newer ones first', async () => {
    const { client, asked, apiUrl } = await world(() => unverified);
    expect(await client.call('listZones', {}, signal)).toMatchObject({
      error: { kind: 'unauthorised', code: codes.credentials },
    });
    expect(asked).toHaveLength(1);

    const used: string[] = [];
    const rotated = createCloudStackClient({
      clock: manualClock(start),
      credentials: {
        get: async (_signal, refused) => {
          used.push(refused === undefined ? 'kept' : 'read again');
          return ok({ apiUrl, ...keys, ...(refused === undefined ? {} : { secretKey: 'a-new-one-0123456789' }) });
        },
      },
    });
    await rotated.call('listZones', {}, signal);
    rotated.close();
    expect(used).toEqual(['kept', 'read again']);
    expect(asked).toHaveLength(3);
  });

  /** Refuses as CloudStack does: in the same words as a wrong signature. */
  const strict =
    (now: () => number): Listener =>
    (fields) => {
      const at = Date.parse((fields.expires ?? '').replace('+0000', 'Z'));
      const isGood = at > now() && at <= now() + 15 * 60_000;
      return isGood ? { body: { listzonesresponse: { count: 0 } } } : unverified;
    };

  it.each([
    [20, 'behind'],
    [-20, 'ahead of'],
  ])('sign by the time of a server whose clock is %i minutes from ours', async (minutes) => {
    const skews: number[] = [];
    const the = { now: start };
    const { client, serverClock, asked } = await world((...all) => strict(() => the.now)(...all), {
      onSkew: (skew) => skews.push(skew),
    });
    serverClock.advance(minutes * 60_000);
    the.now = serverClock.now();
    expect(await client.call('listZones', {}, signal)).toEqual(ok({ count: 0 }));
    expect(await client.call('listZones', {}, signal)).toEqual(ok({ count: 0 }));
    expect(asked).toHaveLength(3);
    expect(skews).toEqual([minutes * 60_000]);
    expect(client.skewMs).toBe(minutes * 60_000);
  });

  it('say that a clock is wrong by hours, which is not followed', async () => {
    const the = { now: start };
    const { client, serverClock, asked } = await world((...all) => strict(() => the.now)(...all));
    serverClock.advance(3 * 3_600_000);
    the.now = serverClock.now();
    expect(await client.call('listZones', {}, signal)).toMatchObject({
      error: {
        kind: 'unauthorised',
        code: codes.clockSkew,
        message: expect.stringMatching(/180 minutes behind that of .*NTP/),
      },
    });
    expect(asked).toHaveLength(1);
  });

  it('blame the key where the signature is refused at the right time as well', async () => {
    const { client, serverClock } = await world(() => unverified);
    serverClock.advance(20 * 60_000);
    expect(await client.call('listZones', {}, signal)).toMatchObject({ error: { code: codes.credentials } });
  });
});

describe('a list', () => {
  const page = (fields: Record<string, string>, all: readonly string[], count = all.length): Answer => {
    const size = Number(fields.pagesize);
    const from = (Number(fields.page) - 1) * size;
    const items = all.slice(from, from + size).map((id) => ({ id }));
    return { body: { listvirtualmachinesresponse: items.length === 0 ? {} : { count, virtualmachine: items } } };
  };
  const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `vm-${at}`);

  it.each([0, 1, 3, 4, 6, 7])('of %i items comes whole', async (count) => {
    const { client } = await world((fields) => page(fields, ids(count)), { pageSize: 3 });
    const found = await client.list<{ id: string }>('listVirtualMachines', {}, signal);
    expect(found.ok && found.value.map(({ id }) => id)).toEqual(ids(count));
  });

  it('asks for 500 at once', async () => {
    const { client, asked } = await world((fields) => page(fields, ids(2)));
    await client.list('listVirtualMachines', { zoneid: 'z' }, signal);
    expect(asked).toMatchObject([{ page: '1', pagesize: '500', zoneid: 'z' }]);
  });

  it('ends where the server counts more than it has', async () => {
    const { client, asked } = await world((fields) => page(fields, ids(2), 9), { pageSize: 3 });
    expect(await client.list('listVirtualMachines', {}, signal)).toMatchObject({ value: [{}, {}] });
    expect(asked).toHaveLength(2);
  });

  it('holds what moves from one page to the next once', async () => {
    const { client } = await world((fields) => page(fields, fields.page === '1' ? ids(4) : ['', '', 'vm-1', 'vm-2']), {
      pageSize: 2,
    });
    const found = await client.list<{ id: string }>('listVirtualMachines', {}, signal);
    expect(found.ok && found.value.map(({ id }) => id)).toEqual(['vm-0', 'vm-1', 'vm-2']);
  });

  it('holds what is in several zones once for each', async () => {
    const items = ['a', 'b'].map((zoneid) => ({ id: 'template', zoneid }));
    const { client } = await world(() => ({ body: { listtemplatesresponse: { count: 2, template: items } } }));
    expect(await client.list('listTemplates', {}, signal)).toEqual(ok(items));
  });

  it('takes smaller pages where the operator has set a smaller limit', async () => {
    const { client, asked } = await world((fields) =>
      Number(fields.pagesize) > 2
        ? refusal(431, "Page size can't exceed max allowed page size value: 2")
        : page(fields, ids(3)),
    );
    expect(await client.list('listVirtualMachines', {}, signal)).toMatchObject({ value: [{}, {}, {}] });
    await client.list('listVirtualMachines', {}, signal);
    expect(asked.map(({ pagesize }) => pagesize)).toEqual(['500', '2', '2', '2', '2']);
  });
});

describe('a job', () => {
  it.each([
    [{ jobstatus: 0 }, { state: 'pending' }],
    [
      { jobstatus: 1, jobresult: { virtualmachine: { id: 'v' } }, jobinstanceid: 'v' },
      { state: 'done', result: { virtualmachine: { id: 'v' } }, instanceId: 'v' },
    ],
    [{ jobstatus: 1 }, { state: 'done', result: {} }],
    [
      { jobstatus: 2, cmd: 'org.x.DeployVMCmd', jobresultcode: 530, jobresult: { errorcode: 533, errortext: 'full' } },
      {
        state: 'failed',
        failure: { kind: 'insufficient-capacity', message: expect.stringMatching(/^DeployVMCmd: .*full/) },
      },
    ],
    [
      { jobstatus: 2, jobresultcode: 535, jobresult: 'limit' },
      { state: 'failed', failure: { kind: 'quota-exceeded', message: expect.stringContaining('limit') } },
    ],
    [
      { jobstatus: 3, jobresultcode: 530 },
      { state: 'failed', failure: { kind: 'unavailable' } },
    ],
  ])('that says %j is over or not', async (body, expected) => {
    const { client, asked } = await world(() => ({ body: { queryasyncjobresultresponse: body } }));
    expect(await client.job('j-1', signal)).toMatchObject(ok(expected));
    expect(asked[0]).toMatchObject({ command: 'queryAsyncJobResult', jobid: 'j-1' });
  });
});

describe('what is not the API of CloudStack', () => {
  it.each([
    [
      'a page',
      { body: '<html><title>Welcome</title></html>' },
      'unavailable',
      codes.notCloudStack,
      /answered 200 .*Welcome/,
    ],
    ['another API', { status: 404, body: { message: 'no route' } }, 'unavailable', codes.notCloudStack, /client\/api/],
    [
      'a redirect',
      { status: 302, body: '', headers: { location: 'https://x/' } },
      'unavailable',
      codes.notCloudStack,
      /redirects to https:\/\/x/,
    ],
    ['a gateway', { status: 502, body: '<h1>Bad Gateway</h1>' }, 'unavailable', codes.unreachable, /502/],
  ])('is told as such: %s', async (_name, answer: Answer, kind, code, text) => {
    const { client } = await world(() => answer);
    const read = await client.call('listZones', {}, signal);
    expect(read).toMatchObject({ error: { kind, code, message: expect.stringMatching(text) } });
  });

  it('leaves open whether a write was done that a page or a gateway answers', async () => {
    for (const status of [200, 502]) {
      const { client } = await world(() => ({ status, body: '<html>' }));
      expect(await client.call('deployVirtualMachine', {}, signal)).toMatchObject({
        error: { kind: 'outcome-unknown' },
      });
    }
  });
});

describe('certificates', () => {
  it('are checked, against a private authority where one is given, and not where the user says so', async () => {
    const server = selfSigned('127.0.0.1');
    const listener: Listener = () => ({ body: { listzonesresponse: { count: 0 } } });
    const strict = await world(listener, {}, server);
    expect(await strict.client.call('deployVirtualMachine', {}, signal)).toMatchObject({
      error: { kind: 'unavailable', code: codes.tls, message: expect.stringContaining('certificateAuthority') },
    });
    expect(strict.asked).toHaveLength(0);
    const careless = await world(listener, { verifySSL: false }, server);
    expect(await careless.client.call('listZones', {}, signal)).toEqual(ok({ count: 0 }));
    const known = await world(listener, { certificateAuthority: server.cert }, server);
    expect(await known.client.call('listZones', {}, signal)).toEqual(ok({ count: 0 }));
  });
});
