/** Malformed events on the real queue, through the real watcher: a dead letter each, and the queue goes on. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalog, eventTypes } from '../../events/catalog.ts';
import { eventWatcher } from '../../functions/watchers/event-watcher.ts';
import { startConsumer } from '../../shared/queue/consumer.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';

const open = useWorld();

const valid = eventTypes.map((type) => ({
  specversion: '1.0',
  id: 'e',
  source: '/fuzz',
  type,
  time: '2026-01-01T00:00:00Z',
  ...catalog[type].example,
}));

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('x'.repeat(70_000), '\u0000', '__proto__', -1, 1e308, null),
);

/** A good event with one field, at the top or in its data, replaced or taken away. */
const mutated = fc
  .record({
    event: fc.constantFrom(...valid),
    inData: fc.boolean(),
    field: fc.constantFrom(
      'specversion',
      'type',
      'data',
      'time',
      'cluster',
      'name',
      'uid',
      'providerID',
      'deleting',
      'x',
    ),
    value: fc.option(junk, { nil: undefined }),
  })
  .map(({ event, inData, field, value }) =>
    JSON.stringify(inData ? { ...event, data: { ...event.data, [field]: value } } : { ...event, [field]: value }),
  );

const anyBody = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom(...valid).map((event) => JSON.stringify(event).slice(0, -7)) },
);

describe('whatever stands on the queue', () => {
  it('the watcher answers with done, a pause or a dead letter, and never throws', async () => {
    const { deliver } = await open();
    await fc.assert(
      fc.asyncProperty(anyBody, fc.integer({ min: 1, max: 1000 }), async (body, receiveCount) => {
        const handled = await deliver(body, receiveCount);
        if (handled === 'done') return;
        if ('dead' in handled) {
          expect(handled.dead.length).toBeGreaterThan(5);
          expect(handled.dead.length).toBeLessThan(2000);
        } else expect(handled.retryAfterSeconds).toBeLessThanOrEqual(300);
      }),
      { numRuns: 400 },
    );
  });

  it('bad messages end among the dead letters, each with its reason, and a good one behind them is served', async () => {
    const { services, createClaim, settle, claim } = await open();
    const created = await createClaim('good', { requirements: only(['general-small']) });
    const bodies = fc.sample(anyBody, { numRuns: 200, seed: 11 }).filter((body) => Buffer.byteLength(body) < 60_000);
    const { name, uid, resourceVersion } = created.metadata;
    const data = { cluster: 'test', name, uid, resourceVersion, deleting: false, observedBy: 'bridge' };
    const good = { specversion: '1.0', id: 'good', source: '/fuzz', type: 'dev.poolwright.claim.changed.v1', data };
    await services.events.send([...bodies, JSON.stringify(good)]);
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = bodies.length + 1;
    let dead = 0;
    const consumer = startConsumer({
      queue: services.events,
      handle: async (message, signal) => {
        const outcome = await eventWatcher.handle(services, message, signal);
        if (outcome !== 'done' && 'dead' in outcome) dead++;
        if (--left === 0) resolve();
        return outcome;
      },
      clock: services.clock,
      log: { warn: () => {} },
      visibilitySeconds: 30,
      concurrency: 4,
    });
    await promise;
    await consumer.stop();
    expect(dead).toBeGreaterThan(100);
    expect((await services.events.stats()).dead).toBe(dead);
    const page = await services.events.deadLetters({ limit: 50 });
    for (const letter of page.items) expect(letter.reason).toMatch(/\S/);
    await settle(3);
    expect(conditionStatus(await claim('good'), 'Ready')).toBe('True');
  });
});
