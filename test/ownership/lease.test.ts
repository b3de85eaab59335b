/** Who acts: one deployment, whatever the others try, whenever they look. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { failed, ok, type Result } from '../../shared/base/result.ts';
import { type Clock, manualClock } from '../../shared/base/runtime.ts';
import type { LeaseObject } from '../../shared/ownership/lease.ts';
import { forgetStandings } from '../../shared/ownership/ownership.ts';
import type { Lack } from '../../shared/ownership/standing.ts';
import { aDeployment, leaseKey, leaseSeconds } from './deployments.ts';
import { fakeServer } from './fake-leases.ts';

const lease = (server: ReturnType<typeof fakeServer>): LeaseObject => server.objects.get(leaseKey) as LeaseObject;

describe('the Lease', () => {
  it('is made by the first deployment, which acts', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock);
    expect(await ours.standing('east')).toEqual({ acts: true });
    expect(lease(server).spec).toMatchObject({ holderIdentity: 'ours/ours-1', leaseDurationSeconds: leaseSeconds });
    expect(lease(server).spec?.renewTime).toMatch(/\.\d{6}Z$/);
  });

  it('is not asked about for every step', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock);
    await ours.standing('east');
    const { reads, writes } = server;
    await Promise.all(Array.from({ length: 1000 }, () => ours.standing('east')));
    clock.advance(60_000);
    await ours.standing('east');
    expect(server).toMatchObject({ reads, writes });
  });

  it('is looked at once when many ask at the same time', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock);
    await Promise.all(Array.from({ length: 100 }, () => ours.standing('east')));
    expect(server.writes).toBe(1);
  });

  it('is shared by all processes of a deployment, and survives their restart', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock);
    await ours.renew('east');
    clock.advance(50_000);
    const another = ours.aProcess();
    expect(await another.renew('east')).toEqual({ acts: true });
    expect(lease(server).spec).toMatchObject({ holderIdentity: 'ours/ours-1', leaseTransitions: 0 });
  });

  it('is looked at anew by a host that starts, and so is what the cluster lacks', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    let lacks: Lack[] = [];
    const ours = aDeployment(server, clock, { check: async () => ok(lacks) });
    await ours.renew('east');
    lacks = [{ kind: 'definition', message: 'nodeclaims.karpenter.sh is too old' }];
    expect(await ours.aProcess().standing('east')).toEqual({ acts: true });
    await forgetStandings(ours.state, ['east']);
    expect(await ours.aProcess().standing('east')).toMatchObject({ acts: false, reason: 'ClusterNotUsable' });

    lacks = [];
    await forgetStandings(ours.state, ['east']);
    await ours.aProcess().renew('east');
    server.objects.delete(leaseKey);
    await aDeployment(server, clock, { id: 'standby' }).renew('east');
    await forgetStandings(ours.state, ['east']);
    expect(await ours.aProcess().standing('east')).toMatchObject({ acts: false, reason: 'NotOwner' });
  });

  it('makes another deployment read only, and says who acts', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    await aDeployment(server, clock).renew('east');
    const other = aDeployment(server, clock, { deployment: 'theirs' });
    const standing = await other.standing('east');
    expect(standing).toMatchObject({ acts: false, reason: 'NotOwner', who: 'ours/ours-1' });
    expect(other.log.lines).toMatchObject([{ event: 'owner.read-only', fields: { who: 'ours/ours-1' } }]);
    const [event] = [...server.objects.values()].filter(({ kind }) => kind === 'Event');
    expect(event).toMatchObject({ reason: 'NotOwner', type: 'Warning', involvedObject: { kind: 'Lease' } });
    expect(JSON.stringify(event)).toContain('deployment ours');
    expect((await other.metrics.expose()).text).toContain('poolwright_cluster_owner{cluster="east"} 0');
  });

  it('is said once, not at every look', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock);
    const other = aDeployment(server, clock, { deployment: 'theirs' });
    for (let round = 0; round < 20; round++) {
      await ours.renew('east');
      await other.renew('east');
      clock.advance(30_000);
    }
    expect(other.log.lines).toHaveLength(1);
  });

  it('goes to another installation of the same name when its holder is gone, and not a second before', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    await aDeployment(server, clock, { id: 'first' }).renew('east');
    const second = aDeployment(server, clock, { id: 'second' });
    await second.renew('east');
    clock.advance(leaseSeconds * 1000 - 1);
    expect(await second.renew('east')).toMatchObject({ acts: false });
    clock.advance(1);
    expect(await second.renew('east')).toEqual({ acts: true });
    expect(lease(server).spec).toMatchObject({ holderIdentity: 'ours/second-1', leaseTransitions: 1 });
  });

  it('never goes to a deployment of another name by itself: it would not see the machines', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    await aDeployment(server, clock).renew('east');
    const other = aDeployment(server, clock, { deployment: 'theirs' });
    await other.renew('east');
    clock.advance(leaseSeconds * 10_000);
    const standing = await other.renew('east');
    expect(standing).toMatchObject({ acts: false, reason: 'NotOwner' });
    expect(standing.acts || standing.why).toMatch(/set deployment to ours.*delete the Lease/);
    server.objects.delete(leaseKey);
    expect(await other.renew('east')).toEqual({ acts: true });
  });

  it('counts from when it was seen, whatever the holder says the time is', async () => {
    const server = fakeServer();
    const [wrong, clock] = [manualClock(Date.UTC(2020, 0, 1)), manualClock()];
    await aDeployment(server, wrong, { id: 'first' }).renew('east');
    const second = aDeployment(server, clock, { id: 'second' });
    expect(await second.renew('east')).toMatchObject({ acts: false });
    clock.advance(leaseSeconds * 1000 - 1);
    expect(await second.renew('east')).toMatchObject({ acts: false });
  });

  it('is acted upon while the API server is away, but not longer than nobody else can take it', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock);
    await ours.renew('east');
    server.down = true;
    clock.advance(leaseSeconds * 700);
    expect(await ours.renew('east')).toEqual({ acts: true });
    clock.advance(leaseSeconds * 100);
    expect(await ours.renew('east')).toMatchObject({ acts: false, reason: 'OwnerUnknown' });
    server.down = false;
    clock.advance(3_000);
    expect(await ours.standing('east')).toEqual({ acts: true });
  });

  it('tells two names of one cluster apart: the first serves it', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const ours = aDeployment(server, clock, { clusters: ['east', 'also-east'] });
    expect(await ours.standing('east')).toEqual({ acts: true });
    const twin = await ours.standing('also-east');
    expect(twin).toMatchObject({ acts: false, reason: 'ClusterNotUsable' });
    expect(twin.acts || twin.why).toContain('the same cluster');
  });

  it('is kept when the cluster gets another name in the configuration', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    await aDeployment(server, clock, { clusters: ['old'], id: 'same' }).renew('old');
    const renamed = aDeployment(server, clock, { clusters: ['new'], id: 'same' });
    expect(await renamed.standing('new')).toEqual({ acts: true });
  });
});

describe('a cluster that lacks something', () => {
  it('is not acted on and not leased, and is looked at again', async () => {
    const [server, clock] = [fakeServer(), manualClock()];
    const answers: Result<Lack[]>[] = [
      ok([
        { kind: 'definition', message: 'NodeClaims are not served' },
        { kind: 'right', message: 'may not patch nodes' },
      ]),
      failed('unavailable', 'no answer'),
      ok([]),
    ];
    const ours = aDeployment(server, clock, { check: async () => answers.shift() ?? ok([]) });
    const first = await ours.standing('east');
    expect(first).toMatchObject({ acts: false, reason: 'ClusterNotUsable' });
    expect(first.acts || first.why).toContain('NodeClaims are not served; may not patch nodes');
    expect(server.objects.has(leaseKey)).toBe(false);
    clock.advance(15_000);
    expect(await ours.standing('east')).toMatchObject({ acts: false, reason: 'OwnerUnknown' });
    clock.advance(3_000);
    expect(await ours.standing('east')).toEqual({ acts: true });
  });
});

/**
 * Random schedules: each deployment looks when chance says so, its requests cross with the others', its clock is off, the
 * server is away at times, processes stop and come back. Whenever anybody asks, at most one may act.
 */
describe('any order of events', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('look' as const), who: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('race' as const), who: fc.constant(0) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), who: fc.integer({ min: 20, max: 130 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('down' as const), who: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose-state' as const), who: fc.nat(2) }) },
  );

  test.prop(
    [
      fc.array(step, { minLength: 10, maxLength: 60 }),
      fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 3, maxLength: 3 }),
      fc.boolean(),
    ],
    {
      numRuns: 200,
    },
  )('leaves at most one deployment acting', async (steps, skews, sameName) => {
    const server = fakeServer();
    const world = manualClock();
    let made = 0;
    const join = (index: number) => {
      const clock: Clock = { now: () => world.now() + (skews[index] ?? 0) * 1000, monotonic: world.monotonic };
      return aDeployment(server, clock, {
        deployment: sameName ? 'ours' : `d${index}`,
        id: `d${index}-${made++}`,
        between: () => new Promise((resolve) => setImmediate(resolve)),
      });
    };
    const all = [0, 1, 2].map(join);
    /** What each believes without looking: the promise is about what anybody would do now. */
    const believes = (index: number): Promise<boolean> =>
      actsNow(all[index]!, world.now() + (skews[index] ?? 0) * 1000);
    for (const { do: what, who } of steps) {
      if (what === 'look') await all[who]!.renew('east');
      if (what === 'race') await Promise.all(all.map((one) => one.renew('east')));
      if (what === 'pass') world.advance(who * 1000);
      if (what === 'down') server.down = who === 1;
      // A process that loses its state forgets that it acted: it is gone, and somebody new stands there.
      if (what === 'lose-state') all[who] = join(who);
      const acting = (await Promise.all([0, 1, 2].map(believes))).filter(Boolean);
      expect(acting.length).toBeLessThanOrEqual(1);
    }
  });

  /** As `standing` would answer without asking the server: from the state, if it is still valid. */
  async function actsNow(one: ReturnType<typeof aDeployment>, now: number): Promise<boolean> {
    const stored = await one.state.get<{ standing: { acts: boolean }; since: number }>('standing/east');
    if (!stored?.value.standing.acts) return false;
    const age = now - stored.value.since;
    return age >= 0 && age < leaseSeconds * 750;
  }
});
