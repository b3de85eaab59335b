import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAllowedName, type NameLimits } from '../spec/name-limits.ts';
import { claimScopedName, instanceName, instanceToken } from './names.ts';

const aks: NameLimits = { maxLength: 12, pattern: 'lower-alnum', firstLetter: true };
const dns: NameLimits = { maxLength: 63, pattern: 'dns-label', firstLetter: false };

const anyLimits: fc.Arbitrary<NameLimits> = fc.record({
  maxLength: fc.integer({ min: 10, max: 80 }),
  pattern: fc.constantFrom('dns-label' as const, 'lower-alnum' as const),
  firstLetter: fc.boolean(),
});
const anyText = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);
const attempt = fc.integer({ min: 1, max: 1_000_000 });

describe('an instance name', () => {
  test('keeps what it can of the claim name', () => {
    const of = { uid: '7c9e6679', attempt: 1 };
    expect(instanceName({ ...of, claimName: 'gpu-pool-x7k2p' }, dns)).toMatch(/^gpu-pool-x7k2p-[a-z2-7]{13}$/);
    expect(instanceName({ ...of, claimName: 'ws1234abcd' }, aks)).toMatch(/^w[a-z2-7]{11}$/);
    expect(instanceName({ ...of, claimName: 'Größe über alles' }, dns)).toMatch(/^gro-e-uber-alles-[a-z2-7]{13}$/);
    expect(instanceName({ ...of, claimName: '日本' }, dns)).toMatch(/^n-[a-z2-7]{13}$/);
    expect(instanceName({ ...of, claimName: '9lives' }, { ...dns, firstLetter: true })).toMatch(/^n9lives-/);
  });

  test('is within the limits, whatever the claim is called', () => {
    fc.assert(
      fc.property(anyText, anyText, attempt, anyLimits, (claimName, uid, number, limits) => {
        expect(isAllowedName(instanceName({ claimName, uid, attempt: number }, limits), limits)).toBe(true);
        expect(isAllowedName(claimScopedName({ claimName, uid }, limits), limits)).toBe(true);
      }),
    );
  });

  test('is the same each time, and differs between uids and attempts, even for one claim name', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), attempt, attempt, anyLimits, (a, b, first, second, limits) => {
        const one = instanceName({ claimName: 'same', uid: a, attempt: first }, limits);
        const other = instanceName({ claimName: 'same', uid: b, attempt: second }, limits);
        expect(one === other).toBe(a === b && first === second);
        expect(instanceName({ claimName: 'same', uid: a, attempt: first }, limits)).toBe(one);
      }),
    );
  });

  test('a thousand claims with ten attempts each never share one', () => {
    const names = new Set<string>();
    for (let claim = 0; claim < 1000; claim++) {
      for (let number = 1; number <= 10; number++)
        names.add(instanceName({ claimName: 'x', uid: `uid-${claim}`, attempt: number }, aks));
    }
    expect(names.size).toBe(10_000);
  });

  test('is refused where the limits leave no room to tell attempts apart', () => {
    expect(() => instanceName({ claimName: 'a', uid: 'u', attempt: 1 }, { ...aks, maxLength: 9 })).toThrow(RangeError);
  });

  test.each([0, -1, 1.5, Number.NaN])('is refused for the attempt %s', (number) => {
    expect(() => instanceName({ claimName: 'a', uid: 'u', attempt: number }, dns)).toThrow(RangeError);
    expect(() => instanceToken('u', number)).toThrow(RangeError);
  });
});

describe('a name that serves all attempts', () => {
  test("is the claim's own where the provider accepts it", () => {
    expect(claimScopedName({ claimName: 'ws1234abcd', uid: 'u' }, aks)).toBe('ws1234abcd');
  });

  test('is made from the uid where it does not', () => {
    const name = claimScopedName({ claimName: 'not-allowed-here', uid: 'u' }, aks);
    expect(isAllowedName(name, aks)).toBe(true);
    expect(claimScopedName({ claimName: 'not-allowed-here', uid: 'v' }, aks)).not.toBe(name);
  });
});

test('a token is short ASCII, the same each time, and one per uid and attempt', () => {
  fc.assert(
    fc.property(anyText, attempt, attempt, (uid, first, second) => {
      const token = instanceToken(uid, first);
      expect(token).toMatch(/^[a-z0-9-]{1,64}$/);
      expect(instanceToken(uid, second) === token).toBe(first === second);
    }),
  );
});
