import { describe, expect, test } from 'vitest';
import { type ClaimSelector, selects } from './claim-selector.ts';

const claim = {
  nodeClassRef: { group: 'g', kind: 'A', name: 'n' },
  labels: { one: '1' },
  annotations: { who: 'me' },
};

describe('a selector of claims', () => {
  test.each<[string, ClaimSelector | undefined, boolean]>([
    ['that is absent selects every claim', undefined, true],
    ['without terms selects none', [], false],
    ['with an empty term selects every claim', [{}], true],
    ['goes by kind', [{ kinds: ['A', 'B'] }], true],
    ['goes by another kind', [{ kinds: ['B'] }], false],
    ['excludes a kind', [{ notKinds: ['A'] }], false],
    ['wants a label', [{ hasLabels: ['one'] }], true],
    ['wants all labels of a term', [{ hasLabels: ['one', 'two'] }], false],
    ['wants a label to be absent', [{ lacksLabels: ['one'] }], false],
    ['wants one of the values of an annotation', [{ annotations: { who: ['you', 'me'] } }], true],
    ['takes an absent annotation for none of the values', [{ annotations: { what: ['x'] } }], false],
    ['needs one term alone to hold', [{ kinds: ['B'] }, { hasLabels: ['one'] }], true],
    ['needs all of one term to hold', [{ kinds: ['A'], hasLabels: ['two'] }], false],
  ])('%s', (_, selector, expected) => {
    expect(selects(selector, claim)).toBe(expected);
  });
});
