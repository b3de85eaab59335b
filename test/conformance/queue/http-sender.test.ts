/** The sending half of the queue over HTTP, against a far side that misbehaves in every way. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import { SendError } from '../../../shared/queue/contract.ts';
import { openHttpSender } from '../../../shared/queue/http/sender.ts';

type Answer = (response: ServerResponse, events: Json[]) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const json =
  (status: number, body: Json, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

const accept: Answer = (response, events) => json(202, { accepted: events.length, rejected: [] })(response, events);

async function setUp(script: Answer[] = []) {
  const asked: { path: string; token: string; type: string; events: Json[] }[] = [];
  const rejected: { body: string; reason: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const events = JSON.parse(body) as Json[];
      const { authorization = '', 'content-type': type = '' } = request.headers;
      asked.push({ path: request.url ?? '', token: authorization, type, events });
      (script.shift() ?? accept)(response, events);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let token = 'first';
  const sender = openHttpSender({
    url: `${url}/api/`,
    token: () => token,
    userAgent: 'test',
    clock: manualClock(),
    timeoutMs: 60_000,
    onRejected: (rejection) => rejected.push(rejection),
  });
  closing.push(() => {
    sender.close();
    server.closeAllConnections();
    server.close();
  });
  const failure = async (bodies: string[]): Promise<SendError> => {
    const error: unknown = await sender.send(bodies).catch((reason: unknown) => reason);
    if (!(error instanceof SendError)) throw new Error('it was not refused');
    return error;
  };
  const rotate = (next: string): void => {
    token = next;
  };
  return { sender, asked, rejected, failure, rotate, server };
}

const events = (count: number, more = ''): string[] =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ id: String(index), more }));

describe('events over HTTP', () => {
  it('arrive as one batch below the path of the URL, with the token of the moment', async () => {
    const { sender, asked, rotate } = await setUp();
    await sender.send(events(3));
    rotate('second');
    await sender.send(events(1));
    expect(asked).toMatchObject([
      { path: '/api/v1/events', token: 'Bearer first', type: 'application/cloudevents-batch+json' },
      { token: 'Bearer second' },
    ]);
    expect(asked[0]?.events).toHaveLength(3);
  });

  it('are cut into batches that the intake takes, by number and by bytes', async () => {
    const { sender, asked } = await setUp();
    await sender.send(events(1001));
    expect(asked.map((one) => one.events.length)).toEqual([500, 500, 1]);
    asked.length = 0;
    await sender.send(events(20, 'x'.repeat(60_000)));
    expect(asked.map((one) => one.events.length)).toEqual([8, 8, 4]);
  });

  it('are halved when something on the way takes less, and one that is too big alone is reported', async () => {
    const tooLarge = json(413, {});
    const { sender, asked, rejected } = await setUp([tooLarge, accept, tooLarge, tooLarge]);
    await sender.send(events(3));
    expect(asked.map((one) => one.events.length)).toEqual([3, 2, 1]);
    expect(rejected).toMatchObject([{ body: expect.stringContaining('"2"') }]);
  });

  it('that will never be taken are reported, and do not come again', async () => {
    const { sender, rejected } = await setUp([
      json(202, { accepted: 1, rejected: [{ index: 1, reason: 'cluster "x" is unknown' }] }),
      json(400, { detail: 'no', rejected: [{ index: 0, reason: 'type is missing' }] }),
    ]);
    await sender.send(events(2));
    await sender.send(events(1));
    expect(rejected.map(({ reason }) => reason)).toEqual(['cluster "x" is unknown', 'type is missing']);
  });

  it.each([
    ['is full', json(429, { detail: 'later' }, { 'retry-after': '7' }), /429: later/, 7],
    ['has trouble', json(503, {}, { 'retry-after': '3' }), /503/, 3],
    ['breaks', json(500, {}), /500/, undefined],
    ['knows no such token', json(401, { detail: 'wrong token' }), /401: wrong token \(check the token/, undefined],
    ['serves another cluster', json(403, { detail: 'about staging' }), /403: about staging/, undefined],
    ['is no Poolwright', json(404, {}), /is this the URL of a Poolwright host/, undefined],
    ['is a login page', json(200, {}), /is this the URL of a Poolwright host/, undefined],
    [
      'has moved',
      json(308, {}, { location: 'https://b.example/x?code=1' }),
      /points to https:\/\/b\.example:/,
      undefined,
    ],
    ['refuses without saying which', json(400, {}), /400/, undefined],
    ['hangs up', (response: ServerResponse) => void response.destroy(), /POST http/, undefined],
  ])('are kept by the caller when the far side %s', async (_name, answer, message, retryAfterSeconds) => {
    const { failure, rejected } = await setUp([answer]);
    const error = await failure(events(2));
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('first');
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(rejected).toEqual([]);
  });

  it('are kept by the caller when nobody listens', async () => {
    const { failure, server } = await setUp();
    server.close();
    expect((await failure(events(1))).message).toMatch(/ECONNREFUSED/);
  });
});
