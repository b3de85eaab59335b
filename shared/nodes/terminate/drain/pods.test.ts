import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/nodes/a-pod.ts';
import { groupOf, holdsNode, isDrainable, isIdle, protectedUntil } from './pods.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const disrupted = (more: object) => aPod('p', { spec: { tolerations: [more] } });

describe('a drain waits for', () => {
  it.each([
    ['a plain pod', aPod('p')],
    ['a pod that has not started', aPod('p', { status: { phase: 'Pending' } })],
    ['a pod that asks not to be disrupted', aPod('p', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
    ['a daemon', aPod('p', { owner: 'DaemonSet' })],
    ['a pod within its grace', aPod('p', { deletionTimestamp: ago(-20) })],
    ['a pod that is less than a minute late', aPod('p', { deletionTimestamp: ago(59) })],
    ['one that tolerates another taint', disrupted({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' })],
    ['one that tolerates another value of the taint', disrupted({ key: 'karpenter.sh/disrupted', value: 'soon' })],
  ])('%s', (_, pod) => expect(holdsNode(pod, now)).toBe(true));
});

describe('a drain does not wait for', () => {
  it.each([
    ['a pod that succeeded', aPod('p', { status: { phase: 'Succeeded' } })],
    ['a pod that failed', aPod('p', { status: { phase: 'Failed' } })],
    ['a mirror pod', aPod('p', { annotations: { 'kubernetes.io/config.mirror': 'hash' } })],
    ['a static pod', aPod('p', { owner: 'Node' })],
    ['a pod that is a minute late', aPod('p', { deletionTimestamp: ago(60) })],
    ['one that tolerates the taint', disrupted({ key: 'karpenter.sh/disrupted', operator: 'Exists' })],
    ['one that tolerates everything', disrupted({ operator: 'Exists' })],
    [
      'one that tolerates it by effect',
      disrupted({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule', operator: 'Exists' }),
    ],
  ])('%s', (_, pod) => expect(holdsNode(pod, now)).toBe(false));
});

it('the volumes of a pod that has ended are waited for all the same', () => {
  expect(isDrainable(aPod('p', { status: { phase: 'Succeeded' } }), now)).toBe(true);
});

describe('do-not-disrupt protects', () => {
  it.each([
    ['for ever', 'true', { startTime: ago(9999) }, Number.POSITIVE_INFINITY],
    ['for a time since the start', '10m', { startTime: ago(60) }, now + 540_000],
    ['no longer when that is over', '10m', { startTime: ago(600) }, undefined],
    ['not when it is false', 'false', {}, undefined],
    ['not when it is not a duration', 'sometimes', {}, undefined],
    ['not for no time', '0s', { startTime: ago(0) }, undefined],
  ])('%s', (_, value, status, expected) => {
    const pod = aPod('p', { annotations: { 'karpenter.sh/do-not-disrupt': value }, status });
    expect(protectedUntil(pod, now)).toBe(expected);
  });

  it('since its creation when it has not started', () => {
    const pod = aPod('p', { annotations: { 'karpenter.sh/do-not-disrupt': '1h' }, creationTimestamp: ago(1800) });
    expect(protectedUntil(pod, now)).toBe(now + 1_800_000);
  });
});

it.each([
  ['plain', undefined, undefined, 0],
  ['daemon', undefined, 'DaemonSet', 1],
  ['critical', 'system-cluster-critical', undefined, 2],
  ['node-critical daemon', 'system-node-critical', 'DaemonSet', 3],
  ['of a priority of their own', 'very-important', 'ReplicaSet', 0],
] as const)('pods that are %s go in their group', (_, priorityClassName, owner, group) => {
  const spec = priorityClassName ? { priorityClassName } : {};
  expect(groupOf(aPod('p', { spec, ...(owner ? { owner } : {}) }))).toBe(group);
});

describe('a node is idle', () => {
  const tolerations = [{ operator: 'Exists' }];
  it.each([
    ['without pods', [], true],
    ['with what has ended', [aPod('p', { status: { phase: 'Failed' } })], true],
    ['with a static pod', [aPod('p', { owner: 'Node' })], true],
    ['with a daemon that stays', [aPod('p', { owner: 'DaemonSet', spec: { tolerations } })], true],
    ['but not with a daemon that leaves', [aPod('p', { owner: 'DaemonSet' })], false],
    ['but not with any other pod', [aPod('p')], false],
    ['but not with another pod that stays', [aPod('p', { spec: { tolerations } })], false],
    ['but not with a pod whose kubelet is silent', [aPod('p', { deletionTimestamp: ago(90) })], false],
  ])('%s', (_, pods, idle) => expect(isIdle(pods, now)).toBe(idle));
});
