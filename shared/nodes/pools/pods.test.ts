import { describe, expect, it } from 'vitest';
import { isMarked } from './pods.ts';

const started = Date.UTC(2026, 0, 1);
const aPod = (mark?: string, more: object = {}) => ({
  metadata: {
    name: 'p',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: new Date(started).toISOString(),
    annotations: mark === undefined ? {} : { 'karpenter.sh/do-not-disrupt': mark },
  },
  ...more,
});

describe('a pod asks not to be disrupted', () => {
  it.each<[string | undefined, object, number, boolean]>([
    ['true', {}, 0, true],
    [undefined, {}, 0, false],
    ['false', {}, 0, false],
    ['30m', {}, 29, true],
    ['30m', {}, 30, false],
    ['0s', {}, 0, false],
    ['true', { status: { phase: 'Succeeded' } }, 0, false],
    ['true', { status: { phase: 'Running' } }, 1000, true],
  ])('by %j (%j) after %i minutes: %s', (mark, more, minutes, expected) => {
    expect(isMarked(aPod(mark, more), started + minutes * 60_000)).toBe(expected);
  });
});
