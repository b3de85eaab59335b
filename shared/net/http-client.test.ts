import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { manualClock } from '../base/runtime.ts';
import { createHttpClient, type HttpClientOptions, retryAfterSeconds } from './http-client.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = http.createServer(listener);
  return listen(server);
}

async function listen(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    if (server instanceof http.Server) server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(baseUrl: string, more: Partial<HttpClientOptions> = {}) {
  const made = createHttpClient({ baseUrl, userAgent: 'test', ...more });
  onTestFinished(() => made.close());
  return made;
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => resolve(text));
  });
}

describe('a request', () => {
  it('carries query, headers, token and JSON body, and brings back status, headers and JSON', async () => {
    const url = await serve(async (request, response) => {
      const seen = { url: request.url, headers: request.headers, body: await bodyOf(request) };
      response.writeHead(201, { 'x-answer': 'yes' }).end(JSON.stringify(seen));
    });
    let token = 'one';
    const api = client(`${url}/prefix/`, { token: () => token, headers: { 'x-common': 'c' } });

    token = 'two';
    const answer = await api.request({
      method: 'POST',
      path: '/things',
      query: { a: 'ä&b', limit: 5, no: undefined },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { name: 'ünï' },
      timeoutMs: 60_000,
    });

    expect(answer).toMatchObject({ ok: true, status: 201, headers: { 'x-answer': 'yes' } });
    expect(answer.ok && answer.json()).toMatchObject({
      url: '/prefix/things?a=%C3%A4%26b&limit=5',
      body: '{"name":"ünï"}',
      headers: {
        authorization: 'Bearer two',
        'x-common': 'c',
        'user-agent': 'test',
        'content-type': 'application/merge-patch+json',
      },
    });
  });

  it('reuses its connection', async () => {
    const sockets = new Set<Socket>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      response.end('{}');
    });
    const api = client(url);
    for (let round = 0; round < 5; round += 1) await api.request({ method: 'GET', path: '/', timeoutMs: 60_000 });
    expect(sockets.size).toBe(1);
  });

  it('never opens more connections than it may', async () => {
    const sockets = new Set<Socket>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      setImmediate(() => response.end('{}'));
    });
    const api = client(url, { maxSockets: 2 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.request({ method: 'GET', path: '/', timeoutMs: 60_000 })),
    );
    expect(answers.every((answer) => answer.ok)).toBe(true);
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('answers undefined for a body that is not JSON', async () => {
    const url = await serve((_request, response) => response.end('<html>'));
    const answer = await client(url).request({ method: 'GET', path: '/', timeoutMs: 60_000 });
    expect(answer.ok && answer.json()).toBeUndefined();
  });

  it('refuses an answer that is too long', async () => {
    const url = await serve((_request, response) => response.end('x'.repeat(5000)));
    const answer = await client(url, { maxResponseBytes: 1000 }).request({
      method: 'GET',
      path: '/',
      timeoutMs: 60_000,
    });
    expect(answer).toMatchObject({ ok: false, sent: true, message: expect.stringContaining('longer than 1000 bytes') });
  });
});

describe('whether the server may have seen a request', () => {
  it('is no when nobody listens', async () => {
    const server = net.createServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const answer = await client(url).request({ method: 'POST', path: '/', body: {}, timeoutMs: 60_000 });
    expect(answer).toMatchObject({ ok: false, sent: false, timedOut: false, aborted: false });
    expect(answer.ok ? '' : answer.message).toMatch(/^POST http:\/\/127.0.0.1:\d+\/: .*ECONNREFUSED/);
  });

  it('is no when it still waits for a connection', async () => {
    let release: ServerResponse | undefined;
    let seen = 0;
    const url = await serve((_request, response) => {
      seen += 1;
      release = response;
    });
    const api = client(url, { maxSockets: 1 });
    const first = api.request({ method: 'POST', path: '/', body: {}, timeoutMs: 60_000 });
    const second = await api.request({ method: 'POST', path: '/', body: {}, timeoutMs: 50 });
    expect(second).toMatchObject({ ok: false, sent: false, timedOut: true });
    await expect.poll(() => release).toBeDefined();
    release?.end('{}');
    expect(await first).toMatchObject({ ok: true });
    expect(seen).toBe(1);
  });

  it('is yes after a time-out while the server thinks', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // Its time is over when the server has it: a real one could be over before that.
    const url = await serve(() => void vi.advanceTimersByTime(5000));
    const answer = await client(url).request({ method: 'POST', path: '/', body: {}, timeoutMs: 5000 });
    expect(answer).toMatchObject({ ok: false, sent: true, timedOut: true, aborted: false });
  });

  it('is yes when the caller gives up after the server got it, no when before', async () => {
    const giveUp = new AbortController();
    const url = await serve(() => giveUp.abort());
    const api = client(url);
    const request = { method: 'DELETE', path: '/', timeoutMs: 60_000, signal: giveUp.signal } as const;
    expect(await api.request(request)).toMatchObject({ ok: false, sent: true, aborted: true });
    expect(await api.request(request)).toMatchObject({ ok: false, sent: false, aborted: true });
  });

  it('is yes when the answer breaks off', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const answer = await client(url).request({ method: 'POST', path: '/', body: {}, timeoutMs: 60_000 });
    expect(answer).toMatchObject({ ok: false, sent: true, message: expect.stringContaining('broke off') });
  });

  it('is no when the request cannot even be written, and the text does not hold the token', async () => {
    const url = await serve((_request, response) => response.end());
    const api = client(url, { token: () => 'secret\n' });
    const answer = await api.request({ method: 'POST', path: '/', timeoutMs: 60_000 });
    expect(answer).toMatchObject({ ok: false, sent: false });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('is no once the client is closed', async () => {
    const url = await serve((_request, response) => response.end('{}'));
    const api = client(url);
    api.close();
    expect(await api.request({ method: 'GET', path: '/', timeoutMs: 60_000 })).toMatchObject({
      ok: false,
      sent: false,
    });
  });
});

describe('a kept-alive connection that the server drops as we reuse it', () => {
  /** Answers the first request on a connection and resets that connection when the second one arrives. */
  async function serveOncePerConnection(): Promise<string> {
    const seen = new Map<Socket, number>();
    return serve((request, response) => {
      const count = (seen.get(request.socket) ?? 0) + 1;
      seen.set(request.socket, count);
      if (count > 1) request.socket.resetAndDestroy();
      else response.end('{}');
    });
  }

  it('is tried again for a read', async () => {
    const api = client(await serveOncePerConnection());
    await api.request({ method: 'GET', path: '/', timeoutMs: 60_000 });
    expect(await api.request({ method: 'GET', path: '/', timeoutMs: 60_000 })).toMatchObject({ ok: true, status: 200 });
  });

  it('is an unknown outcome for a write', async () => {
    const api = client(await serveOncePerConnection());
    await api.request({ method: 'GET', path: '/', timeoutMs: 60_000 });
    const answer = await api.request({ method: 'POST', path: '/', body: {}, timeoutMs: 60_000 });
    expect(answer).toMatchObject({ ok: false, sent: true, timedOut: false });
  });
});

it('ends what is under way and what waits when it is closed', async () => {
  let arrived = 0;
  const url = await serve(() => {
    arrived += 1;
  });
  const api = client(url, { maxSockets: 1 });
  const running = api.request({ method: 'GET', path: '/', timeoutMs: 60_000 });
  const waiting = api.request({ method: 'POST', path: '/', timeoutMs: 60_000 });
  await expect.poll(() => arrived).toBe(1);
  api.close();
  expect(await running).toMatchObject({ ok: false, sent: true });
  expect(await waiting).toMatchObject({ ok: false, sent: false });
  expect(arrived).toBe(1);
});

describe('a stream', () => {
  const never = new AbortController().signal;
  const options = { path: '/', timeoutMs: 60_000, idleMs: 60_000, signal: never };

  it('hands over whole lines, whatever the chunks', async () => {
    const text = Buffer.from('{"a":"ä€😀"}\n\n{"b":2}\n');
    const url = await serve(async (_request, response) => {
      for (const byte of text) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const lines: string[] = [];
    const end = await client(url).stream(options, (line) => {
      lines.push(line);
    });
    expect(lines).toEqual(['{"a":"ä€😀"}', '{"b":2}']);
    expect(end).toEqual({ end: 'closed' });
  });

  it('waits for its reader before the next line', async () => {
    const url = await serve((_request, response) => response.end('1\n2\n3\n'));
    const steps: string[] = [];
    await client(url).stream(options, async (line) => {
      steps.push(`begin ${line}`);
      await new Promise(setImmediate);
      steps.push(`end ${line}`);
    });
    expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it.each([
    ['an answer that is cut off in a line', (r: ServerResponse) => void r.end('{"half":'), { end: 'broken' }],
    ['a connection that drops', (r: ServerResponse) => void r.write('1\n', () => r.destroy()), { end: 'broken' }],
    [
      'another status',
      (r: ServerResponse) => void r.writeHead(410).end('{}'),
      { end: 'refused', answer: { status: 410 } },
    ],
    ['a line without end', (r: ServerResponse) => void r.write('x'.repeat(9000)), { end: 'broken' }],
  ])('says so on %s', async (_name, respond, expected) => {
    const url = await serve((_request, response) => respond(response));
    const end = await client(url).stream({ ...options, maxLineBytes: 8000 }, () => undefined);
    expect(end).toMatchObject(expected);
  });

  it('says so on silence', async () => {
    const url = await serve((_request, response) => void response.write('1\n'));
    expect(await client(url).stream({ ...options, idleMs: 100 }, () => undefined)).toMatchObject({ end: 'idle' });
  });

  it('hands on what the reader threw, and drops the connection', async () => {
    let dropped = false;
    const url = await serve((request, response) => {
      request.socket.on('close', () => {
        dropped = true;
      });
      response.write('1\n');
    });
    const bug = new Error('bug');
    const end = await client(url).stream(options, () => Promise.reject(bug));
    expect(end).toEqual({ end: 'reader-failed', error: bug });
    await expect.poll(() => dropped).toBe(true);
  });

  it('ends when the caller gives up, and leaves no connection behind', async () => {
    const giveUp = new AbortController();
    let dropped = false;
    const url = await serve((request, response) => {
      request.socket.on('close', () => {
        dropped = true;
      });
      response.write('1\n2\n');
    });
    const lines: string[] = [];
    const end = await client(url).stream({ ...options, signal: giveUp.signal }, (line) => {
      lines.push(line);
      giveUp.abort();
    });
    expect(end).toEqual({ end: 'aborted' });
    expect(lines).toEqual(['1']);
    await expect.poll(() => dropped).toBe(true);
  });

  it.each(['closes the client', 'gives up'])(
    'hands over nothing after it has ended, when somebody %s in the middle of a line',
    async (how) => {
      const url = await serve((_request, response) => void response.write('1\n2\n3\n'));
      const api = client(url);
      const giveUp = new AbortController();
      const steps: string[] = [];
      const end = await api.stream({ ...options, signal: giveUp.signal }, async (line) => {
        steps.push(`begin ${line}`);
        if (how === 'gives up') giveUp.abort();
        else api.close();
        for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
        steps.push(`end ${line}`);
      });
      steps.push('ended');
      expect(end).toMatchObject({ end: how === 'gives up' ? 'aborted' : 'broken' });
      await new Promise(setImmediate);
      expect(steps).toEqual(['begin 1', 'end 1', 'ended']);
    },
  );

  it('does not take a connection away from requests', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/watch') response.write('1\n');
      else response.end('{}');
    });
    const giveUp = new AbortController();
    const api = client(url, { maxSockets: 1 });
    const streamed = api.stream({ ...options, path: '/watch', signal: giveUp.signal }, () => undefined);
    expect(await api.request({ method: 'GET', path: '/', timeoutMs: 60_000 })).toMatchObject({ ok: true });
    giveUp.abort();
    await streamed;
  });
});

describe('Retry-After', () => {
  const clock = manualClock(Date.UTC(2026, 0, 1, 12, 0, 0));
  it.each([
    ['7', 7],
    ['0', 0],
    [' 3 ', 3],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['99999999999', 86_400],
    ['-5', undefined],
    ['soon', undefined],
    ['12 parsecs', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j means %j seconds', (header, seconds) => {
    expect(retryAfterSeconds(header === undefined ? {} : { 'retry-after': header }, clock)).toBe(seconds);
  });
});
