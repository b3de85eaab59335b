/**
 * Kubernetes quantities, exact. A value is a whole number of nano units in a bigint; the format only decides how it is
 * written. As in Kubernetes, what is finer than nano is rounded away from zero: who asks for a little gets a little.
 */
import { quoteInput } from '../../../base/problems.ts';

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

export type ParsedQuantity = { ok: true; value: Quantity } | { ok: false; message: string };

const nanosPerUnit = 1_000_000_000n;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([eE])([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;
/** No real quantity is near these; they keep a hostile `1e999999999` from filling the memory. */
const longestText = 64;
const largestExponent = 100;

export const zeroQuantity: Quantity = { nanos: 0n, format: 'DecimalSI' };

/** Reads `100m`, `1.5Gi`, `2e3`, … A bare number, as YAML may give it, is read as its decimal text. */
export function parseQuantity(input: string | number): ParsedQuantity {
  const text = String(input);
  const match = text.length <= longestText ? pattern.exec(text) : null;
  if (match === null) {
    return {
      ok: false,
      message: `${quoteInput(input)} is not a quantity; write a number with one of the suffixes n u m k M G T P E Ki Mi Gi Ti Pi Ei, or an exponent like 1e3`,
    };
  }
  const [, sign, number = '', exponentMark, exponentText, suffix = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  let numerator = BigInt(whole + fraction) * nanosPerUnit;
  let decimalExponent = -fraction.length;
  let format: QuantityFormat = 'DecimalSI';
  if (exponentMark !== undefined) {
    const exponent = Number(exponentText);
    if (Math.abs(exponent) > largestExponent) {
      return { ok: false, message: `${quoteInput(input)} has an exponent beyond ±${largestExponent}` };
    }
    decimalExponent += exponent;
    format = 'DecimalExponent';
  } else if (suffix.endsWith('i')) {
    numerator *= 1024n ** BigInt(binarySuffixes.indexOf(suffix));
    format = 'BinarySI';
  } else {
    decimalExponent += 3 * (decimalSuffixes.indexOf(suffix) - 3);
  }
  const magnitude =
    decimalExponent >= 0
      ? numerator * 10n ** BigInt(decimalExponent)
      : divideUp(numerator, 10n ** BigInt(-decimalExponent));
  // Less than one unit has no binary form; Kubernetes turns it into a decimal at once.
  if (format === 'BinarySI' && magnitude > 0n && magnitude < nanosPerUnit) format = 'DecimalSI';
  return { ok: true, value: { nanos: sign === '-' ? -magnitude : magnitude, format } };
}

/** For quantities that stand in our own code or were checked before; anything else throws. */
export function quantity(text: string | number): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new TypeError(parsed.message);
  return parsed.value;
}

/** The canonical text: no fraction, and the largest suffix that loses nothing. */
export function formatQuantity(value: Quantity): string {
  if (value.nanos === 0n) return '0';
  const negative = value.nanos < 0n;
  const magnitude = negative ? -value.nanos : value.nanos;
  const sign = negative ? '-' : '';
  // Small and fractional values read better as decimals, and would lose digits as binary ones.
  if (value.format === 'BinarySI' && magnitude >= 1024n * nanosPerUnit && magnitude % nanosPerUnit === 0n) {
    const [digits, power] = largestPower(magnitude / nanosPerUnit, 1024n, binarySuffixes.length - 1);
    return `${sign}${digits}${binarySuffixes[power]}`;
  }
  if (value.format === 'DecimalExponent') {
    const [digits, power] = largestPower(magnitude, 1000n, Number.POSITIVE_INFINITY);
    const exponent = 3 * power - 9;
    return exponent === 0 ? `${sign}${digits}` : `${sign}${digits}e${exponent}`;
  }
  const [digits, power] = largestPower(magnitude, 1000n, decimalSuffixes.length - 1);
  return `${sign}${digits}${decimalSuffixes[power]}`;
}

export const compareQuantities = (a: Quantity, b: Quantity): -1 | 0 | 1 =>
  a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;

/** The sum, written in the format of the first (a zero has no opinion about the format). */
export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos + b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
});

export const subtractQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos - b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
});

export const maxQuantity = (a: Quantity, b: Quantity): Quantity => (b.nanos > a.nanos ? b : a);

export const isZeroQuantity = (value: Quantity): boolean => value.nanos === 0n;

/** Whole units (bytes, for memory and storage), rounded down. */
export const toBytes = (value: Quantity): bigint => {
  const floor = value.nanos / nanosPerUnit;
  return value.nanos < 0n && value.nanos % nanosPerUnit !== 0n ? floor - 1n : floor;
};

/** As a float, for metrics and sizes where the last digit does not matter. */
export const toNumber = (value: Quantity): number => Number(value.nanos) / Number(nanosPerUnit);

const divideUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator;

/** Divides by `base` while nothing is lost, at most `limit` times: what remains, and how often. */
function largestPower(value: bigint, base: bigint, limit: number): [bigint, number] {
  let rest = value;
  let power = 0;
  while (power < limit && rest % base === 0n) {
    rest /= base;
    power++;
  }
  return [rest, power];
}
