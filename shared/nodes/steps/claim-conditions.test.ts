import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conditionStatuses } from '../../base/kubernetes/object.ts';
import { findCondition, isTrue } from '../../kube/conditions.ts';
import { readiness, setConditionsAndReady } from './claim-conditions.ts';

const noon = Date.UTC(2026, 0, 1, 12);

describe('Ready', () => {
  test.each([
    [['True', 'True', 'True'], 'True', ''],
    [['True', 'Unknown', undefined], 'Unknown', 'Registered=Unknown, Initialized=Unknown'],
    [['True', 'False', 'Unknown'], 'False', 'Registered=False, Initialized=Unknown'],
    [[undefined, undefined, undefined], 'Unknown', 'Launched=Unknown, Registered=Unknown, Initialized=Unknown'],
  ] as const)('with %j is %s', (statuses, ready, message) => {
    const changes = ['Launched', 'Registered', 'Initialized'].flatMap((type, index) => {
      const status = statuses[index];
      return status === undefined ? [] : [{ type, status }];
    });
    const conditions = setConditionsAndReady([], changes, { now: noon });
    expect(readiness(conditions)).toMatchObject({ status: ready });
    if (changes.length > 0) expect(findCondition(conditions, 'Ready')).toMatchObject({ status: ready, message });
    expect(isTrue(conditions, 'Ready')).toBe(ready === 'True');
  });

  test('is not touched by a condition that it does not depend on', () => {
    expect(
      findCondition(setConditionsAndReady([], [{ type: 'Drained', status: 'True' }], { now: noon }), 'Ready'),
    ).toBeUndefined();
  });

  test('setting the same twice is setting it once', () => {
    const change = fc.record({
      type: fc.constantFrom('Launched', 'Registered', 'Initialized', 'Drained'),
      status: fc.constantFrom(...conditionStatuses),
      message: fc.string({ maxLength: 20 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(change, { selector: ({ type }) => type, maxLength: 4 }),
        fc.nat(),
        (changes, later) => {
          const once = setConditionsAndReady([], changes, { now: noon });
          expect(setConditionsAndReady(once, changes, { now: noon + later })).toBe(once);
        },
      ),
    );
  });
});
