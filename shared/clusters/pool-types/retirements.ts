/**
 * VM sizes whose end Azure has announced, or that are of an older generation. A request may still name them: clusters that exist use them.
 * As of August 2026; Azure moves such dates only further out.
 */

export interface Retirement {
  /** When Azure deallocates what still runs, as a date; absent if no date is announced. */
  readonly on?: string;
  /** What to use instead. */
  readonly instead: string;
}

interface Series {
  readonly pattern: RegExp;
  readonly on?: string;
  /** Of the number of cores in the name. */
  readonly instead: (size: string) => string;
}

const coresOf = (size: string): string => /\d+/.exec(size)?.[0] ?? '2';

/** The names of this series do not count cores. */
const dsv2Cores: Readonly<Record<string, string>> = { '1': '2', '2': '2', '3': '4', '4': '8', '5': '16' };

const series: readonly Series[] = [
  {
    pattern: /^Standard_DS?\d+_v2(_Promo)?$/i,
    on: '2028-05-01',
    instead: (size) => `Standard_D${dsv2Cores[coresOf(size)] ?? '2'}s_v5`,
  },
  { pattern: /^Standard_F\d+s_v2$/i, on: '2028-11-15', instead: (size) => `Standard_F${coresOf(size)}als_v6` },
  { pattern: /^Standard_B\d+[a-z]*$/i, on: '2028-11-15', instead: () => 'Standard_D2s_v5' },
  { pattern: /^Standard_E\d+s_v3$/i, instead: (size) => `Standard_E${coresOf(size)}s_v5` },
];

export function retirementOf(size: string): Retirement | undefined {
  const found = series.find(({ pattern }) => pattern.test(size));
  if (found === undefined) return undefined;
  return { ...(found.on === undefined ? {} : { on: found.on }), instead: found.instead(size) };
}
