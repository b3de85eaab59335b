/**
 * Malformed claims and node classes, past every check of the API server: each says what is wrong as far as it can, none
 * stops the functions, and the good claim beside them gets its node.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { shapeClaim } from '../../shared/nodes/steps/claim-shape.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';

const open = useWorld();

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '💥', '\u202e', '__proto__', 'constructor', 'toString', 'x'.repeat(3000), '-1', '1e400'),
);
const junk: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  text,
  fc.constantFrom<Json>(null, true, -1, 1e308, [], {}),
);
const or = (arbitrary: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 3, arbitrary }, { weight: 1, arbitrary: junk });
const object = (shape: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> =>
  fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Json>;

const labelKey = fc.oneof(
  text,
  fc.constantFrom(
    'node.kubernetes.io/instance-type',
    'topology.kubernetes.io/zone',
    'karpenter.sh/capacity-type',
    'a/b/c',
  ),
);
const requirement = object({
  key: or(labelKey),
  operator: or(fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte', 'in', 'Inn')),
  values: or(fc.array(or(text), { maxLength: 3 })),
  minValues: or(fc.integer()),
});
const taint = object({
  key: or(text),
  value: or(text),
  effect: or(fc.constantFrom('NoSchedule', 'NoExecute', 'Never')),
});
const quantity = or(fc.constantFrom('1', '-4', '1e3', '0x10', '1Gi', 'Gi', '9'.repeat(400), '100m', '1.5.2'));

const spec = object({
  requirements: or(fc.array(or(requirement), { maxLength: 4 })),
  resources: or(object({ requests: or(fc.dictionary(text, quantity, { maxKeys: 3 }) as fc.Arbitrary<Json>) })),
  taints: or(fc.array(or(taint), { maxLength: 2 })),
  startupTaints: or(fc.array(or(taint), { maxLength: 2 })),
  terminationGracePeriod: or(fc.constantFrom('5m', '-5m', 'soon')),
  expireAfter: or(fc.constantFrom('720h', 'Never')),
});
const condition = object({
  type: or(fc.constantFrom('Launched', 'Registered', 'Initialized', 'Ready')),
  status: or(fc.constantFrom('True', 'False', 'Unknown')),
  lastTransitionTime: or(fc.constantFrom('2026-01-01T00:00:00Z', 'yesterday')),
});
const status = or(
  object({
    conditions: or(fc.array(or(condition), { maxLength: 3 })),
    providerID: or(fc.constantFrom('sim:///zone-a/i-unknown', 'aws:///x/i-1')),
    nodeName: or(text),
  }),
);
const annotations = or(
  object({
    'poolwright.dev/attempt': or(fc.constantFrom('{}', '{"attempt":1}', '[]', '{')),
    'poolwright.dev/launch-deadline': or(fc.constantFrom('5m', 'soon')),
    'poolwright.dev/registration-deadline': or(fc.constantFrom('0s', '-1s')),
  }),
);
const weirdClaim = fc.record(
  { spec, status, annotations, labels: or(fc.dictionary(labelKey, or(text), { maxKeys: 2 }) as fc.Arbitrary<Json>) },
  { requiredKeys: ['spec'] },
);
type WeirdClaim = typeof weirdClaim extends fc.Arbitrary<infer T> ? T : never;

async function put(world: TestWorld, name: string, weird: WeirdClaim): Promise<void> {
  await world.createClaim(name);
  await world.writePast(nodeClaims, name, (stored) => {
    stored.spec = { ...(stored.spec as object), ...(weird.spec as object) };
    if (weird.status !== undefined) stored.status = weird.status;
    const metadata = stored.metadata as { [key: string]: Json };
    if (weird.annotations !== undefined) metadata.annotations = weird.annotations;
    if (weird.labels !== undefined) metadata.labels = weird.labels;
  });
}

/** Nothing may have thrown: neither a workflow nor a function on a timer. */
function expectNoFailure({ engine }: TestWorld): void {
  expect(engine.all().filter(({ status: is }) => is === 'failed' || is === 'mismatched')).toEqual([]);
}

it('malformed claims stop nobody else, and each says what is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(weirdClaim, { minLength: 12, maxLength: 12 }), async (weird) => {
      const world = await open({ cloud: { bootSeconds: 1 } });
      for (const [index, one] of weird.entries()) await put(world, `weird-${index}`, one);
      await world.createClaim('good', { requirements: only(['general-small']) });
      await put(world, 'zz-last', weird[0] ?? { spec: {} });
      await world.pass(90);
      await world.collectGarbage();
      await world.resync();
      expect(conditionStatus(await world.claim('good'), 'Ready')).toBe('True');
      expectNoFailure(world);
      for (const index of weird.keys()) {
        const name = `weird-${index}`;
        const stored = await world.claim(name);
        const claim = stored && shapeClaim(stored);
        if (conditionStatus(claim, 'Ready') === 'True') continue;
        const launched = conditionOf(claim, 'Launched');
        const told = await world.eventsOf(name);
        const explained = (launched !== undefined && (launched.message ?? '') !== '') || told.length > 0;
        expect(explained, JSON.stringify(claim)).toBe(true);
      }
      await world.deleteClaim('good');
      await world.settle(3);
      expect(await world.claim('good')).toBeUndefined();
    }),
    // A dozen claims to a world: shrinking would try hundreds of worlds.
    { numRuns: 6, endOnFailure: true },
  );
});

it('malformed node classes stop nobody else', async () => {
  const nodeClassSpec = or(
    object({
      image: or(text),
      bootSeconds: or(fc.constantFrom<Json>(-1, 1e9, '5')),
      tags: or(fc.dictionary(text, or(text), { maxKeys: 2 }) as fc.Arbitrary<Json>),
      deadlines: or(object({ launch: or(fc.constantFrom('5m', 'soon')), lunch: junk })),
      userData: or(fc.constantFrom('x'.repeat(20_000))),
      extra: junk,
    }),
  );
  const classStatus = or(object({ conditions: or(fc.array(or(condition), { maxLength: 2 })) }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ spec: nodeClassSpec, status: classStatus }, { requiredKeys: [] }), {
        minLength: 3,
        maxLength: 6,
      }),
      async (classes) => {
        const world = await open({ cloud: { bootSeconds: 1 } });
        const { group, kind } = world.nodeClasses;
        for (const [index, one] of classes.entries()) {
          const name = `class-${index}`;
          await world.createNodeClass(name);
          await world.writePast(world.nodeClasses, name, (stored) => {
            Object.assign(stored, one);
          });
          await world.createClaim(`claim-${index}`, { nodeClassRef: { group, kind, name } });
        }
        await world.createClaim('good', { requirements: only(['general-small']) });
        await world.refreshOfferings();
        await world.pass(120);
        expect(conditionStatus(await world.claim('good'), 'Ready')).toBe('True');
        expectNoFailure(world);
        for (const index of classes.keys()) {
          const claim = await world.claim(`claim-${index}`);
          const launched = conditionOf(claim, 'Launched');
          const fine = conditionStatus(claim, 'Ready') === 'True' || (launched?.message ?? '') !== '';
          expect(fine, JSON.stringify([claim, classes[index]])).toBe(true);
        }
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
});
