import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/nodes/a-pod.ts';
import { heldByWish, planRound } from './plan.ts';
import { podName } from './pods.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const inSeconds = (seconds: number): number => now + seconds * 1000;
const wire = (at: number): string => new Date(at).toISOString();
const keep = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

describe('one group at a time', () => {
  const plain = aPod('plain');
  const daemon = aPod('daemon', { owner: 'DaemonSet' });
  const critical = aPod('critical', { spec: { priorityClassName: 'system-node-critical' } });

  it('evicts the first that has pods, and counts all', () => {
    const round = planRound([critical, daemon, plain], now, undefined);
    expect(round.evict).toEqual([plain]);
    expect(round.left).toBe(3);
  });

  it('waits for those that leave before the next', () => {
    const leaving = aPod('plain', { deletionTimestamp: wire(inSeconds(10)) });
    const round = planRound([leaving, daemon], now, undefined);
    expect(round.evict).toEqual([]);
    expect(round.leaving).toEqual([leaving]);
    // After that it is stuck and no longer counts.
    expect(round.nextAt).toBe(inSeconds(70));
  });

  it('goes on to the next when the first is gone', () => {
    expect(planRound([daemon, critical], now, undefined).evict).toEqual([daemon]);
    expect(planRound([critical], now, undefined).evict).toEqual([critical]);
  });

  it('is done when nothing holds the node', () => {
    expect(planRound([aPod('ended', { status: { phase: 'Failed' } })], now, undefined)).toMatchObject({
      left: 0,
      evict: [],
    });
  });
});

it('a pod that asks not to be disrupted is waited for, not evicted', () => {
  const round = planRound([aPod('wish', keep), aPod('other')], now, undefined);
  expect(round.evict.map(podName)).toEqual(['default/other']);
  expect(round.protected.map(heldByWish)).toEqual([
    { pod: 'default/wish', why: 'is marked do-not-disrupt, so it has to finish first' },
  ]);
});

it('is looked at again the moment that a wish is over', () => {
  const wish = { annotations: { 'karpenter.sh/do-not-disrupt': '10m' }, status: { startTime: wire(inSeconds(-540)) } };
  const round = planRound([aPod('wish', wish)], now, undefined);
  expect(round.nextAt).toBe(inSeconds(60));
  expect(heldByWish(round.protected[0]!).why).toContain('until 2026-01-01T12:01:00');
});

describe('with a termination grace period', () => {
  const patient = { spec: { terminationGracePeriodSeconds: 60 } };

  it.each([
    ['not before its own grace fits in', 61, undefined],
    ['when its own grace just fits in', 60, 60],
    ['with what is left when it is late', 20.9, 20],
    ['with a second at least', 0.2, 1],
    ['with a second when the time is over', -5, 1],
  ])('a pod is deleted %s', (_, secondsLeft, grace) => {
    const round = planRound([aPod('p', patient)], now, inSeconds(secondsLeft));
    expect(round.remove.map(({ graceSeconds }) => graceSeconds)).toEqual(grace === undefined ? [] : [grace]);
    expect(round.evict).toHaveLength(grace === undefined ? 1 : 0);
  });

  it('neither wishes nor groups hold a pod whose time has come', () => {
    const pods = [
      aPod('first'),
      aPod('wish', { ...keep, ...patient }),
      aPod('later', { owner: 'DaemonSet', ...patient }),
      aPod('gone-soon', { deletionTimestamp: wire(inSeconds(5)), ...patient }),
    ];
    const round = planRound(pods, now, inSeconds(45));
    expect(round.remove.map(({ pod }) => podName(pod))).toEqual(['default/wish', 'default/later']);
    expect(round.evict.map(podName)).toEqual(['default/first']);
    // The first one's grace of 30 s begins then.
    expect(round.nextAt).toBe(inSeconds(15));
  });

  it('a pod that says nothing has the grace that the server gives it', () => {
    expect(planRound([aPod('p')], now, inSeconds(31)).remove).toEqual([]);
    expect(planRound([aPod('p')], now, inSeconds(30)).remove).toMatchObject([{ graceSeconds: 30 }]);
  });
});

it('says when it has come further, and only then', () => {
  const two = planRound([aPod('a'), aPod('b')], now, undefined).progress;
  expect(planRound([aPod('a'), aPod('b')], inSeconds(9), undefined).progress).toBe(two);
  expect(planRound([aPod('a')], now, undefined).progress).not.toBe(two);
  const leaves = aPod('b', { deletionTimestamp: wire(inSeconds(30)) });
  expect(planRound([aPod('a'), leaves], now, undefined).progress).not.toBe(two);
});
