import { describe, expect, test } from 'vitest';
import {
  disruptedTaint,
  equalTaints,
  formatTaint,
  isEphemeralTaint,
  mergeTaints,
  parseTaint,
  removeTaint,
  tolerates,
  unregisteredTaint,
  untolerated,
} from './taints.ts';
import type { Taint, Toleration } from './types.ts';

const taint: Taint = { key: 'sku', value: 'gpu', effect: 'NoSchedule' };

describe('the text form', () => {
  test.each<[string, Taint, string]>([
    ['sku=gpu:NoSchedule', taint, 'sku=gpu:NoSchedule'],
    ['sku=:NoExecute', { key: 'sku', effect: 'NoExecute' }, 'sku:NoExecute'],
    [
      'example.com/a:PreferNoSchedule',
      { key: 'example.com/a', effect: 'PreferNoSchedule' },
      'example.com/a:PreferNoSchedule',
    ],
  ])('%s is read and written', (text, expected, canonical) => {
    expect(parseTaint(text)).toEqual({ ok: true, value: expected });
    expect(formatTaint(expected)).toBe(canonical);
  });

  test.each([
    ['sku', /write key=value:Effect/],
    ['sku:NoShedule', /did you mean "NoSchedule"/],
    ['=x:NoSchedule', /not a label key/],
    ['a=b=c:NoSchedule', /not a label value/],
  ])('%s is refused', (text, message) => {
    expect(parseTaint(text)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});

test('taints are equal by key, effect and value, where empty is none', () => {
  expect(equalTaints(taint, { ...taint, timeAdded: '2026-01-01T00:00:00Z' })).toBe(true);
  expect(equalTaints(taint, { ...taint, value: 'cpu' })).toBe(false);
  expect(equalTaints({ key: 'a', value: '', effect: 'NoExecute' }, { key: 'a', effect: 'NoExecute' })).toBe(true);
});

test('merging keeps what is there and adds what is new, once', () => {
  const other: Taint = { key: 'sku', value: 'gpu', effect: 'NoExecute' };
  const merged = mergeTaints([taint], [{ ...taint, value: 'cpu' }, other, other]);
  expect(merged).toEqual([taint, other]);
  expect(mergeTaints(merged, [other])).toEqual(merged);
  expect(removeTaint(merged, { ...taint, value: 'whatever' })).toEqual([other]);
});

test.each<[string, Toleration, boolean]>([
  ['equal', { key: 'sku', value: 'gpu' }, true],
  ['another value', { key: 'sku', value: 'cpu' }, false],
  ['another key', { key: 'other', operator: 'Exists' }, false],
  ['exists', { key: 'sku', operator: 'Exists' }, true],
  ['exists with the effect', { key: 'sku', operator: 'Exists', effect: 'NoSchedule' }, true],
  ['exists with another effect', { key: 'sku', operator: 'Exists', effect: 'NoExecute' }, false],
  ['everything', { operator: 'Exists' }, true],
  ['no key and no operator', {}, false],
])('toleration: %s', (_, toleration, expected) => {
  expect(tolerates(toleration, taint)).toBe(expected);
});

test('a taint that only discourages keeps no pod away', () => {
  const taints: Taint[] = [taint, { key: 'soft', effect: 'PreferNoSchedule' }, disruptedTaint];
  expect(untolerated(taints, [{ key: 'sku', operator: 'Exists' }])).toEqual([disruptedTaint]);
});

test.each<[string, boolean]>([
  [formatTaint(unregisteredTaint), true],
  ['node.kubernetes.io/not-ready:NoExecute', true],
  ['node.kubernetes.io/not-ready:NoSchedule', true],
  ['node.kubernetes.io/unreachable:NoSchedule', true],
  ['node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule', true],
  ['node.cloudprovider.kubernetes.io/uninitialized=false:NoSchedule', false],
  ['readiness.k8s.io/network=pending:NoSchedule', true],
  ['karpenter.sh/disrupted:NoSchedule', false],
  ['sku=gpu:NoSchedule', false],
])('%s is ephemeral: %s', (text, expected) => {
  const parsed = parseTaint(text);
  expect(parsed.ok && isEphemeralTaint(parsed.value)).toBe(expected);
});
