import { describe, expect, it } from 'vitest';
import { anEvent, type Body, type HttpWorld, httpWorld } from './world.ts';

const single = 'application/cloudevents+json';
const batch = 'application/cloudevents-batch+json';

async function queued(world: HttpWorld): Promise<unknown[]> {
  return (await world.queue.receive(100)).map(({ body }) => JSON.parse(body));
}

describe('one event', () => {
  it.each([[single], ['application/json'], [`${single}; charset=UTF-8`]])(
    'as %s is on the queue before the answer',
    async (type) => {
      const world = httpWorld();
      const event = anEvent({ extension: 'kept' });

      const answer = await world.send('POST', '/v1/events', event, type);

      expect(answer).toMatchObject({ status: 202, json: { accepted: 1, rejected: [] } });
      expect(await queued(world)).toEqual([event]);
    },
  );

  it.each(['application/json', 'application/vnd.x+json'])('may have its attributes in headers (%s)', async (type) => {
    const world = httpWorld();
    const { data, ...attributes } = anEvent({ source: '/caf%C3%A9' });
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce-${name}`, String(value)]),
    );

    const answer = await world.ask('POST', '/v1/events', {
      headers: { ...headers, 'content-type': type },
      body: JSON.stringify(data),
    });

    expect(answer).toMatchObject({ status: 202, json: { accepted: 1 } });
    expect(await queued(world)).toEqual([anEvent({ source: '/café', datacontenttype: type })]);
  });

  it.each([
    ['no object', 'hello', 'must be a JSON object'],
    ['an array', [anEvent()], 'must be a JSON object'],
    ['without version', { ...anEvent(), specversion: undefined }, 'specversion is missing'],
    ['of an unknown type', anEvent({ type: 'dev.poolwright.claim.change.v1' }), 'dev.poolwright.claim.changed.v1'],
    ['of an unknown version', anEvent({ type: 'dev.poolwright.claim.changed.v9' }), 'unknown version v9'],
    ['with a wrong name', anEvent({}, { name: '../nodes' }), 'data.name'],
    ['for an unknown cluster', anEvent({}, { cluster: 'producton' }), 'did you mean "production"?'],
    [
      'that is too big',
      anEvent({ ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x${n}`, 'y'.repeat(4000)])) }),
      'bytes; at most',
    ],
  ])('that is %s is refused with the reason', async (_name, event, reason) => {
    const world = httpWorld();

    const answer = await world.send('POST', '/v1/events', JSON.parse(JSON.stringify(event)), single);

    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ detail: expect.stringContaining(reason), rejected: [{ index: 0 }] });
    expect(await queued(world)).toEqual([]);
  });
});

describe('a batch', () => {
  it.each([[batch], ['application/json']])('as %s keeps the good ones and lists the rest', async (type) => {
    const world = httpWorld();
    const good = [anEvent({ id: 'a' }), anEvent({ id: 'c' })];

    const answer = await world.send(
      'POST',
      '/v1/events',
      [good[0]!, anEvent({ id: 'b', type: 'x' }), 7, good[1]!],
      type,
    );

    expect(answer).toMatchObject({
      status: 202,
      json: {
        accepted: 2,
        rejected: [
          { index: 1, id: 'b', reason: expect.stringContaining('unknown') },
          { index: 2, reason: 'the message must be a JSON object, but it is a number' },
        ],
      },
    });
    expect(await queued(world)).toEqual(good);
  });

  it('of which nothing can be used is refused as a whole', async () => {
    const answer = await httpWorld().send('POST', '/v1/events', [1, {}], batch);
    expect(answer).toMatchObject({ status: 400, json: { rejected: [{ index: 0 }, { index: 1 }] } });
  });

  it('may be empty', async () => {
    const answer = await httpWorld().send('POST', '/v1/events', [], batch);
    expect(answer).toMatchObject({ status: 202, json: { accepted: 0, rejected: [] } });
  });

  it('must be an array', async () => {
    const answer = await httpWorld().send('POST', '/v1/events', anEvent(), batch);
    expect(answer).toMatchObject({ status: 400, json: { detail: 'A batch must be a JSON array of events.' } });
  });

  it('has a largest length', async () => {
    const answer = await httpWorld().send('POST', '/v1/events', Array(1001).fill(0), batch);
    expect(answer).toMatchObject({ status: 413, json: { detail: expect.stringContaining('at most 1000') } });
  });
});

describe('a body', () => {
  const post = (
    body: Body | undefined,
    headers: Record<string, string> = {},
    world = httpWorld({ maxIntakeBytes: 5000 }),
  ) => world.ask('POST', '/v1/events', body === undefined ? { headers } : { headers, body });
  const json = { 'content-type': 'application/json' };

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/vnd.x+json',
  ])('of type %s is not read', async (type) => {
    expect(await post(JSON.stringify(anEvent()), { 'content-type': type })).toMatchObject({
      status: 415,
      json: { detail: expect.stringContaining(single) },
    });
  });

  it('needs a type, and to be UTF-8', async () => {
    expect((await post(new Uint8Array([123, 125]))).status).toBe(415);
    expect((await post(undefined)).status).toBe(415);
    expect((await post('{}', { 'content-type': 'application/json; charset=latin1' })).status).toBe(415);
    expect(await post(new Uint8Array([34, 255, 34]), json)).toMatchObject({
      status: 400,
      json: { detail: 'The body is not UTF-8.' },
    });
  });

  it.each([
    ['', 'The body is empty; JSON is expected.'],
    ['{"a":\n 1,,}', 'The body is not JSON: unexpected "," at position 9 (line 2, column 4).'],
    ['[1, 2', 'The body is not JSON: it ends too early, at position 5.'],
    ['[truE]', 'position 1 (line 1, column 2)'],
  ])('that is not JSON (%j) is told where', async (body, detail) => {
    expect(await post(body, json)).toMatchObject({ status: 400, json: { detail: expect.stringContaining(detail) } });
  });

  it('that is too big is refused, announced or not, even when its length is a lie', async () => {
    const big = JSON.stringify('x'.repeat(6000));
    const stream = () => new Blob([big]).stream();
    const streamed = new Request('http://127.0.0.1/v1/events', {
      method: 'POST',
      body: stream(),
      duplex: 'half',
      headers: { ...json, authorization: 'Bearer t' },
    });
    const { app } = httpWorld({ maxIntakeBytes: 5000, token: () => 't' });

    expect((await app.fetch(streamed)).status).toBe(413);
    expect((await post(big, { ...json, 'content-length': String(big.length) })).status).toBe(413);
    expect((await post(big, { ...json, 'content-length': '10' })).status).toBe(413);
  });

  it('that breaks off is the sender’s mistake, not ours', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    });
    const { app, log } = httpWorld({ token: () => 't' });
    const request = new Request('http://127.0.0.1/v1/events', {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { ...json, authorization: 'Bearer t' },
    });

    expect((await app.fetch(request)).status).toBe(400);
    expect(log.lines).toEqual([]);
  });

  it('of one very long broken string gets its position too', async () => {
    const answer = await post(`"${'x'.repeat(1_000_000)}`, json, httpWorld());
    expect(answer).toMatchObject({ status: 400, json: { detail: expect.stringContaining('not JSON') } });
  });
});

describe('the queue', () => {
  it('that holds too much makes senders wait', async () => {
    const world = httpWorld({ maxReadyEvents: 2 });
    for (const id of ['a', 'b', 'c'])
      expect((await world.send('POST', '/v1/events', anEvent({ id }))).status).toBe(202);

    const answer = await world.send('POST', '/v1/events', anEvent({ id: 'd' }));

    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await queued(world)).toHaveLength(3);
  });

  it('that is full for one cluster refuses that cluster alone', async () => {
    const world = httpWorld({ queueOptions: { share: { messages: 2, bytes: 1_000_000 } } });
    const of = (cluster: string, id: string) => anEvent({ id }, { cluster });
    await world.send('POST', '/v1/events', [of('production', 'a'), of('production', 'b'), of('production', 'c')]);

    const full = await world.send('POST', '/v1/events', of('production', 'd'));
    expect(full).toMatchObject({
      status: 429,
      json: { type: 'urn:poolwright:problem:queue-full', detail: expect.stringContaining('"production"') },
    });
    expect(full.headers.get('retry-after')).toBe('5');
    expect((await world.send('POST', '/v1/events', of('staging', 'e'))).status).toBe(202);
    const both = await world.send('POST', '/v1/events', [of('production', 'f'), of('staging', 'g')]);
    expect(both).toMatchObject({ status: 202, json: { accepted: 1 } });
    expect(both.json.rejected).toEqual([
      { index: 0, id: 'f', reason: expect.stringMatching(/no room for it on the queue.*send it again later/) },
    ]);
    expect((await queued(world)).map((event) => (event as { id: string }).id).sort()).toEqual([
      'a',
      'b',
      'c',
      'e',
      'g',
    ]);
  });

  it('takes no more bytes of a cluster than its share, however few the events are', async () => {
    const world = httpWorld({ queueOptions: { share: { messages: 1_000_000, bytes: 100 } } });
    expect((await world.send('POST', '/v1/events', anEvent({ id: 'a' }))).status).toBe(202);
    expect((await world.send('POST', '/v1/events', anEvent({ id: 'b' }))).status).toBe(429);
    expect(await queued(world)).toHaveLength(1);
  });

  it('takes nothing while the disk is almost full, and says so', async () => {
    let problem: string | undefined = 'the disk has 3 MB free';
    const world = httpWorld({ diskProblem: () => problem });
    const refused = await world.send('POST', '/v1/events', anEvent());
    expect(refused).toMatchObject({
      status: 503,
      json: { code: 'DiskAlmostFull', detail: expect.stringContaining('3 MB free') },
    });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(world.log.lines).toEqual([]);
    problem = undefined;
    expect((await world.send('POST', '/v1/events', anEvent())).status).toBe(202);
  });

  it('that can not store makes senders send again, and is logged', async () => {
    const world = httpWorld({
      decorate: (queue) => ({ ...queue, send: () => Promise.reject(new Error('disk full at /data')) }),
    });

    const answer = await world.send('POST', '/v1/events', anEvent());

    expect(answer).toMatchObject({ status: 503, json: { detail: expect.stringContaining('again') } });
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(answer.text).not.toContain('/data');
    expect(world.log.lines).toMatchObject([{ event: 'http.failed' }]);
  });
});
