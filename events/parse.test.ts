import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalog, eventTypes, type PoolwrightEvent } from './catalog.ts';
import { maxDepth, maxEventBytes, maxUnknownStringLength } from './envelope.ts';
import { eventBody, makeEvent } from './make.ts';
import { checkEvent, parseEvent } from './parse.ts';

type Fields = Record<string, unknown>;

const attributes = { id: 'e-1', time: Date.UTC(2026, 0, 1), source: '/test', subject: 'here' };
const examples = (): PoolwrightEvent[] =>
  eventTypes.map((type) => makeEvent(type, catalog[type].example.data, attributes));

/** A valid claim event with some fields replaced; `undefined` leaves one out. */
function aMessage(envelope: Fields = {}, data: Fields = {}): string {
  const event = makeEvent(
    'dev.poolwright.claim.changed.v1',
    catalog['dev.poolwright.claim.changed.v1'].example.data,
    attributes,
  );
  return JSON.stringify({ ...event, ...envelope, data: { ...event.data, ...data } });
}

function reasonOf(body: string | Uint8Array): string {
  const parsed = parseEvent(body);
  if (parsed.ok) throw new Error('it was accepted');
  return parsed.reason;
}

describe('parseEvent', () => {
  it.each(eventTypes)('reads %s from a string and from bytes', (type) => {
    const event = makeEvent(type, catalog[type].example.data, attributes);
    const body = JSON.stringify(event);
    expect(parseEvent(body)).toEqual({ ok: true, event });
    expect(parseEvent(Buffer.from(body))).toEqual({ ok: true, event });
  });

  it('says where a message is not JSON', () => {
    expect(reasonOf('{"a":}')).toBe('the message is not JSON: unexpected "}" at position 5');
    expect(reasonOf('{"a":1')).toBe('the message is not JSON: it ends too early, at position 6');
    expect(reasonOf('')).toBe('the message is empty');
    expect(reasonOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe('the message is not UTF-8');
  });

  it('states the limit of a message that is too big, counted in bytes', () => {
    const padding = 'é'.repeat(maxEventBytes / 2);
    expect(reasonOf(padding + padding)).toBe('the message is 131072 bytes big; at most 65536 are allowed');
    expect(reasonOf(Buffer.alloc(maxEventBytes + 1, 0x20))).toContain('at most 65536');
    expect(reasonOf(' '.repeat(maxEventBytes))).toBe('the message is empty');
  });

  it.each([
    ['[]', 'an array'],
    ['null', 'null'],
    ['"x"', 'a string'],
    ['1', 'a number'],
    ['true', 'a boolean'],
  ])('refuses %s, which is no object', (body, kind) => {
    expect(reasonOf(body)).toBe(`the message must be a JSON object, but it is ${kind}`);
  });

  it.each([
    ['specversion is missing: the message must be a CloudEvent 1.0 in structured JSON', { specversion: undefined }, {}],
    ['specversion must be "1.0", but it is "0.3"', { specversion: '0.3' }, {}],
    ['type is missing', { type: undefined }, {}],
    ['type must be a string, but it is a number', { type: 7 }, {}],
    ['id is missing', { id: undefined }, {}],
    ['id is empty', { id: '' }, {}],
    ['source is 513 characters long; at most 512 are allowed', { source: 'x'.repeat(513) }, {}],
    ['time must be a time like 2026-01-01T12:00:00Z', { time: 'yesterday' }, {}],
    ['data_base64 is not supported: send the data as JSON in data', { data_base64: 'e30=' }, {}],
    ['data.name is missing', {}, { name: undefined }],
    ['data.name is 254 characters long; at most 253 are allowed', {}, { name: 'x'.repeat(254) }],
    ['data.deleting must be a boolean, but it is a string', {}, { deleting: 'yes' }],
    ['data.deleting must be a boolean, but it is null', {}, { deleting: null }],
    ['data.generation must be an integer, but it is a number', {}, { generation: 1.5 }],
    ['data.generation must be at least 0', {}, { generation: -1 }],
    ['data.generation must be at most 9007199254740991', {}, { generation: 1e300 }],
    ['data.uid must be a string, but it is an array', {}, { uid: ['u'] }],
    [
      'data.observedBy must be "watch" or "bridge" or "webhook" or "resync", but it is "cron"',
      {},
      { observedBy: 'cron' },
    ],
  ])('names the field: %s', (reason, envelope, data) => {
    expect(reasonOf(aMessage(envelope, data))).toBe(reason);
  });

  it('names a missing data attribute, and data of the wrong sort', () => {
    const { data: _, ...rest } = JSON.parse(aMessage());
    expect(reasonOf(JSON.stringify(rest))).toBe('data is missing');
    expect(reasonOf(JSON.stringify({ ...rest, data: 'text' }))).toBe('data must be an object, but it is a string');
  });

  it.each(['../../secrets', 'a/b', 'A', 'ä', '-a', 'a b', 'a\u0000'])('refuses %j as the name of a claim', (name) => {
    expect(reasonOf(aMessage({}, { name }))).toContain('data.name has characters that are not allowed');
  });

  it('refuses a cluster that would reach into the keys of another', () => {
    expect(reasonOf(aMessage({}, { cluster: 'other/claim' }))).toContain('data.cluster has characters');
  });

  it('tells an unknown version from an unknown type, and names the nearest', () => {
    expect(reasonOf(aMessage({ type: 'dev.poolwright.claim.changed.v2' }))).toBe(
      'type "dev.poolwright.claim.changed.v2" has the unknown version v2; known: v1',
    );
    expect(reasonOf(aMessage({ type: 'dev.poolwright.claim.changed' }))).toBe(
      'type "dev.poolwright.claim.changed" has no version; known: v1',
    );
    expect(reasonOf(aMessage({ type: 'dev.poolwright.claims.deleted.v1' }))).toBe(
      'type "dev.poolwright.claims.deleted.v1" is unknown; the nearest known one is dev.poolwright.claim.deleted.v1',
    );
    expect(reasonOf(aMessage({ type: 'constructor' }))).toContain('"constructor" is unknown');
    expect(reasonOf(aMessage({ type: 'x'.repeat(300) }))).toBe('type is 300 characters long; at most 256 are allowed');
  });

  it('names a few of many mistakes and counts the rest', () => {
    expect(reasonOf(aMessage({}, { name: 1, uid: 2, cluster: 3, deleting: 4 }))).toMatch(/; and 1 more$/);
  });

  it('does not repeat what a field holds', () => {
    expect(reasonOf(aMessage({}, { name: 'Secret-Value', deleting: 'Secret-Value' }))).not.toContain('Secret');
  });

  it('keeps fields that it does not know, in the envelope and in the data', () => {
    const body = aMessage(
      { traceparent: '00-1-2-01', constructor: 1 },
      { later: { nested: [1, null, 'é'] }, toString: 'x' },
    );
    const parsed = parseEvent(body);
    expect(parsed.ok && JSON.parse(JSON.stringify(parsed.event))).toEqual(JSON.parse(body));
  });

  it('bounds the strings and names of fields that it does not know', () => {
    const long = 'x'.repeat(maxUnknownStringLength + 1);
    expect(reasonOf(aMessage({ later: long }))).toBe('later is 4097 characters long; at most 4096 are allowed');
    expect(reasonOf(aMessage({}, { list: ['', long] }))).toBe(
      'data.list[1] is 4097 characters long; at most 4096 are allowed',
    );
    expect(reasonOf(aMessage({}, { [long]: 1 }))).toBe(
      'a name in data is 4097 characters long; at most 4096 are allowed',
    );
    expect(reasonOf(aMessage({ later: 1 }).replace('"later":1', '"later":1e999'))).toBe(
      'later is a number out of range',
    );
  });

  it('refuses nesting that would overflow a stack', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const withField = (value: string) => aMessage({ later: 'HERE' }).replace('"HERE"', value);
    expect(parseEvent(withField(nested(maxDepth - 1))).ok).toBe(true);
    expect(reasonOf(withField(nested(maxDepth)))).toContain('is nested too deep; at most 32 levels are allowed');
    const deepest = reasonOf(withField(nested(30_000)));
    expect(deepest).toContain('nested too deep');
    expect(deepest.length).toBeLessThan(400);
    expect(reasonOf(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toContain('nested too deep');
  });

  it('refuses a field called __proto__ and leaves every prototype alone', () => {
    const message = aMessage({ later: 0 }).replace('"later":0', '"__proto__":{"polluted":true}');
    expect(reasonOf(message)).toBe('__proto__ is not allowed as the name of a field');
    const inData = aMessage({}, { later: 0 }).replace('"later":0', '"__proto__":{"polluted":true}');
    expect(reasonOf(inData)).toBe('data.__proto__ is not allowed as the name of a field');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('answers arbitrary bytes and arbitrary JSON with a reason', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({ specversion: '1.0', type: eventTypes[0], data: value })),
    );
    fc.assert(
      fc.property(anything, (body) => {
        const parsed = parseEvent(body);
        expect(parsed.ok ? 'accepted' : parsed.reason.length > 0 && parsed.reason.length < 2000).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on a valid event that was damaged, and accepts only what survives a round trip', () => {
    const field = fc.constantFrom(
      'specversion',
      'id',
      'source',
      'type',
      'subject',
      'time',
      'datacontenttype',
      'dataschema',
      'extra',
    );
    const damaged = fc
      .record({
        event: fc.constantFrom(...examples()),
        envelope: fc.dictionary(field, fc.jsonValue(), { maxKeys: 2 }),
        data: fc.dictionary(
          fc.constantFrom('cluster', 'name', 'uid', 'deleting', 'ready', 'at', 'reason', 'extra'),
          fc.jsonValue(),
          { maxKeys: 2 },
        ),
        cut: fc.option(fc.nat(400)),
        splice: fc.option(fc.tuple(fc.nat(400), fc.string({ maxLength: 3 }))),
      })
      .map(({ event, envelope, data, cut, splice }) => {
        let text = JSON.stringify({ ...event, ...envelope, data: { ...event.data, ...data } });
        if (splice) text = text.slice(0, splice[0]) + splice[1] + text.slice(splice[0] + 1);
        return cut === null ? text : text.slice(0, cut);
      });
    let accepted = 0;
    fc.assert(
      fc.property(damaged, (body) => {
        const parsed = parseEvent(body);
        if (!parsed.ok) {
          expect(parsed.reason).not.toBe('');
          return;
        }
        accepted++;
        const again = JSON.stringify(parsed.event);
        expect(JSON.parse(again)).toEqual(JSON.parse(JSON.stringify(JSON.parse(body))));
        expect(parseEvent(again)).toEqual({ ok: true, event: parsed.event });
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});

describe('checkEvent', () => {
  it('survives a value that contains itself', () => {
    const loop: Fields = {};
    loop.self = loop;
    expect(checkEvent(loop)).toEqual({ ok: false, reason: expect.stringContaining('nested too deep') });
  });
});

describe('makeEvent', () => {
  it('makes what parseEvent reads back', () => {
    for (const event of examples()) expect(parseEvent(JSON.stringify(event))).toEqual({ ok: true, event });
  });

  it('makes bodies that are read in the process that made them as they are read elsewhere', () => {
    for (const { type, data } of examples()) {
      const body = eventBody(type, data as never, attributes);
      const here = parseEvent(body);
      const elsewhere = parseEvent(body);
      expect(here.ok).toBe(true);
      expect(here).toEqual(elsewhere);
      expect(here.ok && elsewhere.ok && here.event === elsewhere.event).toBe(false);
    }
  });

  it('leaves the subject out when there is none', () => {
    const { subject: _, ...rest } = attributes;
    const { data } = catalog['dev.poolwright.claim.deleted.v1'].example;
    expect(makeEvent('dev.poolwright.claim.deleted.v1', data, rest)).not.toHaveProperty('subject');
  });

  it('throws where every reader would refuse', () => {
    const { data } = catalog['dev.poolwright.instance.interrupted.v1'].example;
    const make = (change: Fields) => () =>
      makeEvent('dev.poolwright.instance.interrupted.v1', { ...data, ...change }, attributes);
    expect(make({ reason: 'x'.repeat(1025) })).toThrow(/data.reason is 1025 characters long; at most 1024/);
    expect(make({ extra: Array.from({ length: 20 }, () => 'x'.repeat(4000)) })).toThrow(/at most 65536 are allowed/);
  });
});
