/** Whatever is sent: an answer that says why, nothing lost, no exception. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { parseEvent } from '../../events/parse.ts';
import { anEvent, httpWorld } from './world.ts';

const contentTypes = fc.constantFrom(
  'application/json',
  'application/cloudevents+json',
  'application/cloudevents-batch+json',
  'application/json; charset=utf-8',
);

/** A good event of which one part is anything. */
const spoiltEvent = fc
  .tuple(fc.constantFrom(...Object.keys(anEvent()), 'extra', 'data_base64'), fc.jsonValue())
  .map(([field, value]) => ({ ...anEvent(), [field]: value }));
const spoiltData = fc
  .tuple(fc.constantFrom(...Object.keys(anEvent().data), 'extra'), fc.jsonValue())
  .map(([field, value]) => anEvent({}, { [field]: value as string }));
const eventLike = fc.oneof(spoiltEvent, spoiltData, fc.jsonValue(), fc.constant(anEvent()));

const bodies = fc.oneof(
  eventLike.map((value) => JSON.stringify(value)),
  fc.array(eventLike, { maxLength: 6 }).map((value) => JSON.stringify(value)),
  // Cut off or with one character changed: almost JSON.
  fc.tuple(eventLike, fc.nat(), fc.string({ maxLength: 2 })).map(([value, at, more]) => {
    const text = JSON.stringify(value);
    return `${text.slice(0, at % (text.length + 1))}${more}${text.slice((at % (text.length + 1)) + more.length + 1)}`;
  }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => new Uint8Array(bytes)),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
);

describe('any body', () => {
  const world = httpWorld();

  test.prop([bodies, contentTypes], { numRuns: 500 })(
    'for the intake is accepted, or refused with a reason',
    async (body, contentType) => {
      const answer = await world.ask('POST', '/v1/events', { headers: { 'content-type': contentType }, body });
      const messages = await world.queue.receive(100);
      for (const message of messages) await world.queue.complete(message);

      if (answer.status === 202) {
        const { accepted, rejected } = answer.json as { accepted: number; rejected: { reason: string }[] };
        expect(messages).toHaveLength(accepted);
        for (const { body } of messages) expect(parseEvent(body)).toMatchObject({ ok: true });
        for (const { reason } of rejected) expect(reason).not.toBe('');
      } else {
        expect(answer.status).toBe(400);
        expect(String(answer.json.detail).length).toBeGreaterThan(10);
        expect(messages).toEqual([]);
      }
      expect(world.log.lines.filter(({ event }) => event !== 'audit.recorded')).toEqual([]);
    },
  );

  test.prop(
    [fc.dictionary(fc.stringMatching(/^ce-[a-z0-9]{1,20}$/), fc.stringMatching(/^[ -~]{0,80}$/)), fc.jsonValue()],
    { numRuns: 200 },
  )('with any attributes in headers is accepted, or refused with a reason', async (attributes, data) => {
    const answer = await world.ask('POST', '/v1/events', {
      headers: { 'content-type': 'application/json', 'ce-specversion': '1.0', ...attributes },
      body: JSON.stringify(data),
    });
    expect([202, 400]).toContain(answer.status);
    expect(world.log.lines.filter(({ event }) => event !== 'audit.recorded')).toEqual([]);
  });

  const operations = [
    'POST /v1/dead-letters/replay',
    'POST /v1/dead-letters/drop',
    'PUT /v1/pauses/cluster/production',
  ];

  test.prop([bodies, fc.constantFrom(...operations)], { numRuns: 300 })(
    'for an operation is done, or refused with a reason',
    async (body, target) => {
      const [method, path] = target.split(' ') as [string, string];
      const answer = await world.ask(method, path, { headers: { 'content-type': 'application/json' }, body });
      if (answer.status !== 200) {
        expect([400, 413]).toContain(answer.status);
        expect(answer.json.detail).toBeTruthy();
      }
      expect(world.log.lines.filter(({ event }) => event !== 'audit.recorded')).toEqual([]);
    },
  );
});

describe('any path', () => {
  const world = httpWorld();
  const segment = fc.oneof(
    fc.constantFrom(
      'v1',
      'claims',
      'production',
      'decisions',
      'pauses',
      'cluster',
      'dead-letters',
      'workflows',
      '..',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.stringMatching(/^[%a-f0-9]{1,6}$/),
  );

  test.prop(
    [
      fc.constantFrom('GET', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'),
      fc.array(segment, { maxLength: 6 }),
      fc.stringMatching(/^[a-z%=&0-9]{0,12}$/),
    ],
    { numRuns: 300 },
  )('is answered, and never by a failure of ours', async (method, segments, query) => {
    const answer = await world.ask(method, `/${segments.join('/')}?${query}`);
    // 503 is the cluster that nobody listens at.
    expect([200, 400, 404, 405, 503]).toContain(answer.status);
    expect(world.log.lines.filter(({ event }) => event !== 'audit.recorded')).toEqual([]);
  });
});
