import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  maxQuantity,
  parseQuantity,
  type Quantity,
  quantity,
  subtractQuantities,
  toBytes,
  toNumber,
} from './quantities.ts';

describe('the canonical form', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['0Gi', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1.5', '1500m'],
    ['+3', '3'],
    ['1000m', '1'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1000000', '1M'],
    ['12000k', '12M'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1Ki', '1Ki'],
    ['0.5Ki', '512'],
    ['0.9765625Ki', '1k'],
    ['1.5Gi', '1536Mi'],
    ['0.5Mi', '512Ki'],
    ['1025Mi', '1025Mi'],
    ['0.001Ki', '1024m'],
    ['0.1Mi', '104857600m'],
    ['0.0001Ki', '102400u'],
    ['-1.5Gi', '-1536Mi'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e-1', '1200e-3'],
    ['1e2', '100'],
    ['5E', '5E'],
    ['1Ei', '1Ei'],
    ['2048Ei', '2048Ei'],
    ['5000E', '5000E'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1.0000000001', '1000000001n'],
    ['1u', '1u'],
    ['123456789123456789123456789', '123456789123456789123456789'],
  ])('of %s is %s', (text, canonical) => {
    expect(formatQuantity(quantity(text))).toBe(canonical);
  });

  test('a bare number is read like its text', () => {
    expect(formatQuantity(quantity(4))).toBe('4');
    expect(formatQuantity(quantity(0.25))).toBe('250m');
  });
});

describe('what is no quantity is refused', () => {
  const wrong = [
    '',
    ' 1',
    '1 ',
    '1K',
    '1ki',
    '1kk',
    '.',
    '1.2.3',
    '--1',
    '1e',
    '1e1.5',
    '1Zi',
    'one',
    '1e101',
    '1e-999999999',
    '9'.repeat(65),
  ];
  test.each([...wrong, Number.NaN, Number.POSITIVE_INFINITY])('%s', (text) => {
    const parsed = parseQuantity(text);
    expect(parsed.ok).toBe(false);
    expect(() => quantity(text)).toThrow(TypeError);
  });
});

describe('arithmetic', () => {
  const anyQuantity: fc.Arbitrary<Quantity> = fc.record({
    nanos: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    format: fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const),
  });

  test('a formatted quantity reads back as the same value, and formats the same again', () => {
    fc.assert(
      fc.property(anyQuantity, (value) => {
        const text = formatQuantity(value);
        const back = quantity(text);
        expect(back.nanos).toBe(value.nanos);
        expect(formatQuantity(back)).toBe(text);
      }),
    );
  });

  test('the order agrees with subtraction and with the maximum', () => {
    fc.assert(
      fc.property(anyQuantity, anyQuantity, (a, b) => {
        const difference = subtractQuantities(a, b);
        expect(compareQuantities(a, b)).toBe(difference.nanos < 0n ? -1 : difference.nanos > 0n ? 1 : 0);
        expect(compareQuantities(a, b) + compareQuantities(b, a)).toBe(0);
        expect(compareQuantities(maxQuantity(a, b), a)).toBeGreaterThanOrEqual(0);
        expect(compareQuantities(maxQuantity(a, b), b)).toBeGreaterThanOrEqual(0);
        expect(isZeroQuantity(difference)).toBe(a.nanos === b.nanos);
      }),
    );
  });

  test('addition is associative and commutative, and subtraction undoes it', () => {
    fc.assert(
      fc.property(anyQuantity, anyQuantity, anyQuantity, (a, b, c) => {
        expect(addQuantities(addQuantities(a, b), c).nanos).toBe(addQuantities(a, addQuantities(b, c)).nanos);
        expect(addQuantities(a, b).nanos).toBe(addQuantities(b, a).nanos);
        expect(subtractQuantities(addQuantities(a, b), b).nanos).toBe(a.nanos);
      }),
    );
  });

  test('a sum keeps the format of the first that is not zero', () => {
    expect(formatQuantity(addQuantities(quantity('1Gi'), quantity('1G')))).toBe('2073741824');
    expect(formatQuantity(addQuantities(quantity('0'), quantity('2Gi')))).toBe('2Gi');
    expect(formatQuantity(subtractQuantities(quantity('2Gi'), quantity('1Gi')))).toBe('1Gi');
  });

  test.each([
    ['1Gi', 1073741824n],
    ['1.9', 1n],
    ['-1.1', -2n],
    ['-1', -1n],
    ['999m', 0n],
  ])('%s rounds down to %s whole units', (text, bytes) => {
    expect(toBytes(quantity(text))).toBe(bytes);
  });

  test('as a float', () => {
    expect(toNumber(quantity('1500m'))).toBe(1.5);
  });
});
