import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { defined } from '../../base/defined.ts';
import type { Budget, PoolClaim } from '../disruption/types.ts';
import { type PlanInput, type PoolPlan, planPool } from './plan.ts';

const now = Date.UTC(2026, 0, 5, 12);
const serving = { deleting: false, launched: true, initialized: true, nodeReady: true, doNotDisrupt: false };
const aClaim = (name: string, more: Partial<PoolClaim> = {}): PoolClaim => ({
  name,
  uid: `uid-${name}`,
  createdAt: now - 1000,
  ...serving,
  ...more,
});
const launching = { launched: false, initialized: false, nodeReady: false };
const drifted = { outdated: 'NodePoolDrifted' as const };

const plan = (claims: PoolClaim[], more: Partial<PlanInput> = {}): PoolPlan =>
  planPool({ replicas: 3, budgets: [{ nodes: '10%' }], claims, now, ...more });
const names = ({ remove }: PoolPlan): string[] => remove.map(({ claim }) => claim.name);

describe('the number of claims', () => {
  it('is filled up, and deleting claims are no help', () => {
    expect(plan([aClaim('a'), aClaim('b', { deleting: true })])).toEqual({ create: [{}, {}], remove: [] });
    expect(plan([], { replicas: 0 })).toEqual({ create: [], remove: [] });
  });

  it('keeps to limits.nodes, where deleting claims count, and says so', () => {
    const held = plan([aClaim('a'), aClaim('b', { deleting: true })], { limit: 3 });
    expect(held.create).toHaveLength(1);
    expect(held.held).toMatchObject({ reason: 'NodeLimitReached' });
    expect(plan([aClaim('a')], { limit: 0 }).create).toEqual([]);
  });

  it('makes no claims that the cap of the cluster would keep waiting, and says so', () => {
    const held = plan([aClaim('a')], { replicas: 20_000, cap: 10, limit: 50 });
    expect(held.create).toHaveLength(9);
    expect(held.held?.message).toMatch(/maxInstances of the cluster is 10/);
  });

  it('is planned in parts, however many are asked for', () => {
    const { create, isCut, held } = plan([], { replicas: 1_000_000_000, atOnce: 1000 });
    expect({ claims: create.length, isCut, held }).toEqual({ claims: 1000, isCut: true, held: undefined });
    expect(plan([], { replicas: 1000, atOnce: 1000 }).isCut).toBeUndefined();
  });

  it('goes down from ten thousand within moments', () => {
    const claims = Array.from({ length: 10_000 }, (_, index) => aClaim(`c-${index}`));
    const before = process.cpuUsage();
    expect(names(plan(claims, { replicas: 0 }))).toHaveLength(10_000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('goes down by what costs least: no machine, no node, not ready, outdated, the youngest, at last what is marked', () => {
    const claims = [
      aClaim('marked', { doNotDisrupt: true, createdAt: now }),
      aClaim('old', { createdAt: now - 9000 }),
      aClaim('young', { createdAt: now - 10 }),
      aClaim('drifted', drifted),
      aClaim('unready', { nodeReady: false }),
      aClaim('booting', { initialized: false, nodeReady: false }),
      aClaim('unlaunched', launching),
    ];
    const order = ['unlaunched', 'booting', 'unready', 'drifted', 'young', 'old', 'marked'];
    for (const [replicas] of order.entries()) {
      expect(names(plan(claims, { replicas: claims.length - replicas }))).toEqual(order.slice(0, replicas));
    }
    expect(names(plan(claims, { replicas: 0 }))).toEqual(order);
  });

  it('goes down at once, whatever the budget says', () => {
    const claims = ['a', 'b', 'c', 'd'].map((name) => aClaim(name, drifted));
    expect(names(plan(claims, { replicas: 2, budgets: [{ nodes: '0' }] }))).toHaveLength(2);
  });
});

describe('an outdated claim', () => {
  it('gets a replacement first, as many at a time as the budget allows', () => {
    const claims = ['a', 'b', 'c'].map((name, age) => aClaim(name, { ...drifted, createdAt: now - 100 + age }));
    expect(plan(claims)).toEqual({ create: [{ replaces: 'a' }], remove: [] });
    expect(plan(claims, { budgets: [{ nodes: '2' }] }).create).toEqual([{ replaces: 'a' }, { replaces: 'b' }]);
    expect(plan(claims, { budgets: [] }).create).toHaveLength(3);
  });

  it('stays until its replacement serves, and goes then', () => {
    const old = ['a', 'b', 'c'].map((name) => aClaim(name, drifted));
    const unready = { launched: true, initialized: true, nodeReady: false };
    expect(plan([...old, aClaim('d', { ...launching, replaces: 'a' })])).toEqual({ create: [], remove: [] });
    expect(plan([...old, aClaim('d', { ...unready, replaces: 'a' })])).toEqual({ create: [], remove: [] });
    expect(names(plan([...old, aClaim('d', { replaces: 'a' })]))).toEqual(['a']);
  });

  it('waits while another one is going or not ready, because those use the budget up', () => {
    const others = [aClaim('b', drifted), aClaim('c'), aClaim('d')];
    expect(plan([aClaim('a', { deleting: true }), ...others])).toEqual({ create: [], remove: [] });
    const unready = [aClaim('a', { nodeReady: false }), ...others];
    expect(plan(unready, { replicas: 4 })).toMatchObject({
      create: [],
      remove: [],
      held: { reason: 'DisruptionBlocked', message: expect.stringMatching(/with 1 not ready/) },
    });
  });

  it('is not begun and not ended outside of the budget, and the pool says which one holds it', () => {
    const budgets: Budget[] = [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }];
    const old = ['a', 'b', 'c'].map((name) => aClaim(name, drifted));
    expect(plan(old, { budgets }).held?.message).toMatch(/3 of 3 nodes are outdated.*schedule "0 9 \* \* \*"/);
    expect(plan([...old, aClaim('d', { replaces: 'a' })], { budgets })).toEqual({ create: [], remove: [] });
  });

  it('needs room under limits.nodes for its replacement, and the pool says so', () => {
    const old = ['a', 'b', 'c'].map((name) => aClaim(name, drifted));
    expect(plan(old, { limit: 3 })).toMatchObject({
      create: [],
      held: { message: expect.stringMatching(/limits.nodes is 3/) },
    });
    expect(plan(old, { limit: 4 }).create).toHaveLength(1);
  });

  it('without a node is made anew at once: nothing can run on it', () => {
    const claims = [aClaim('a', { ...launching, ...drifted }), aClaim('b'), aClaim('c')];
    expect(plan(claims, { budgets: [{ nodes: '0' }] })).toMatchObject({
      create: [{}],
      remove: [{ claim: { name: 'a' }, reason: 'NodePoolDrifted' }],
    });
  });

  it('that is marked do-not-disrupt stays when it has drifted, and goes when it has expired', () => {
    const marked = { doNotDisrupt: true };
    const rest = [aClaim('b'), aClaim('c')];
    expect(plan([aClaim('a', { ...drifted, ...marked }), ...rest])).toMatchObject({
      create: [],
      held: { message: expect.stringMatching(/do-not-disrupt/) },
    });
    expect(plan([aClaim('a', { outdated: 'Expired', ...marked }), ...rest]).create).toEqual([{ replaces: 'a' }]);
  });

  it('for drift does not hold up expiry; one for every reason does', () => {
    const claims = [aClaim('a', { outdated: 'Expired' }), aClaim('b', drifted), aClaim('c')];
    const during = (budgets: Budget[]) => plan(claims, { budgets }).create;
    expect(during([{ nodes: '0', reasons: ['Drifted'] }])).toEqual([{ replaces: 'a' }]);
    expect(during([{ nodes: '0' }])).toEqual([]);
    expect(during([{ nodes: '1' }])).toHaveLength(1);
    expect(during([{ nodes: '0', reasons: ['Empty'] }, { nodes: '2' }])).toHaveLength(2);
  });

  it('under a name that an earlier one had is not taken for that one, which was replaced long ago', () => {
    const claims = [
      aClaim('a', { ...drifted, createdAt: now - 1000 }),
      aClaim('b', { replaces: 'a', createdAt: now - 9000 }),
    ];
    const scaled = plan(claims, { replicas: 1, budgets: [{ nodes: '0' }] });
    expect(scaled.remove.map(({ claim, reason }) => [claim.name, reason])).toEqual([['a', 'ScaledDown']]);
  });

  it('that is up to date again needs no replacement: the one too many goes', () => {
    const claims = [aClaim('a'), aClaim('b'), aClaim('c'), aClaim('d', { ...launching, ...drifted, replaces: 'a' })];
    expect(names(plan(claims))).toEqual(['d']);
  });
});

const claimArbitrary: fc.Arbitrary<PoolClaim> = fc
  .record({
    deleting: fc.boolean(),
    stage: fc.constantFrom(0, 1, 2, 2, 2),
    nodeReady: fc.boolean(),
    doNotDisrupt: fc.boolean(),
    age: fc.nat(9),
    outdated: fc.constantFrom(undefined, undefined, 'NodePoolDrifted' as const, 'Expired' as const),
    replaces: fc.option(fc.nat(9), { nil: undefined }),
  })
  .map(({ stage, age, outdated, replaces, nodeReady, ...rest }) => ({
    name: '',
    uid: '',
    createdAt: now - age,
    launched: stage > 0,
    initialized: stage > 1,
    nodeReady: stage > 1 && nodeReady,
    ...rest,
    ...defined({ outdated }),
    ...(replaces === undefined ? {} : { replaces: `c${replaces}` }),
  }));
const claimsArbitrary = fc
  .array(claimArbitrary, { maxLength: 12 })
  .map((claims) => claims.map((claim, index) => ({ ...claim, name: `c${index}`, uid: `u${index}` })));
const inputArbitrary = fc.record({
  claims: claimsArbitrary,
  replicas: fc.nat(10),
  limit: fc.option(fc.nat(14), { nil: undefined }),
  budget: fc.constantFrom('0', '1', '3', '10%', '50%', '100%'),
});

const serves = ({ initialized, nodeReady }: PoolClaim): boolean => initialized && nodeReady;

test.prop([inputArbitrary])('whatever is there, the plan keeps its promises', ({ claims, replicas, limit, budget }) => {
  const { create, remove } = plan(claims, { replicas, limit, budgets: [{ nodes: budget }] });
  const alive = claims.filter(({ deleting }) => !deleting);
  const removed = remove.map(({ claim }) => claim);

  // Nothing twice, nothing that is going already.
  expect(new Set(removed).size).toBe(removed.length);
  for (const claim of removed) expect(alive).toContain(claim);
  // Never beyond the limit.
  if (create.length > 0 && limit !== undefined) expect(claims.length + create.length).toBeLessThanOrEqual(limit);

  // Never more than the replicas and what is being replaced.
  const left = alive.filter((claim) => !removed.includes(claim));
  const outdated = left.filter((claim) => claim.outdated !== undefined).length;
  expect(left.length + create.length).toBeLessThanOrEqual(replicas + outdated);

  // A replacement never leaves fewer serving than wanted.
  const replacedServing = remove.filter(({ claim, reason }) => reason !== 'ScaledDown' && serves(claim)).length;
  if (replacedServing > 0) expect(left.filter(serves).length).toBeGreaterThanOrEqual(replicas);

  // Never more disrupted than the budget allows, unless it was so before.
  const nodes = claims.filter(({ initialized }) => initialized);
  const disrupted = nodes.filter((claim) => claim.deleting || !claim.nodeReady).length;
  const percent = budget.endsWith('%');
  const allowed = percent ? Math.ceil((nodes.length * Number.parseInt(budget, 10)) / 100) : Number(budget);
  expect(disrupted + replacedServing).toBeLessThanOrEqual(Math.max(allowed, disrupted));
});

/** A world of its own, much simpler than the real one: plans are carried out, nodes come up, deleted claims go. */
test.prop([
  claimsArbitrary,
  fc.array(fc.record({ replicas: fc.nat(8), drift: fc.boolean() }), { minLength: 1, maxLength: 4 }),
  fc.constantFrom('1', '2', '10%', '100%'),
])(
  'any sequence of scaling and drift ends with exactly the replicas, all up to date and serving',
  (start, steps, budget) => {
    let claims = start.map((claim) => ({ ...claim, doNotDisrupt: false }));
    let made = claims.length;
    for (const { replicas, drift } of steps) {
      if (drift) claims = claims.map((claim) => ({ ...claim, outdated: 'NodePoolDrifted' as const }));
      for (let round = 0; round < 80; round++) {
        const { create, remove } = plan(claims, { replicas, budgets: [{ nodes: budget }] });
        const gone = new Set(remove.map(({ claim }) => claim.name));
        claims = claims
          .filter(({ deleting }) => !deleting)
          .map((claim) =>
            gone.has(claim.name)
              ? { ...claim, deleting: true }
              : { ...claim, initialized: claim.launched, nodeReady: claim.launched, launched: true },
          );
        for (const one of create) claims.push(aClaim(`c${made++}`, { ...launching, ...one, createdAt: now + made }));
        const alive = claims.filter(({ deleting }) => !deleting);
        const outdated = alive.filter((claim) => claim.outdated !== undefined).length;
        if (round > 0) expect(alive.length).toBeLessThanOrEqual(replicas + outdated);
      }
      expect(claims.every((claim) => serves(claim) && !claim.deleting && claim.outdated === undefined)).toBe(true);
      expect(claims).toHaveLength(replicas);
    }
  },
);
