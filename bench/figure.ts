/** A figure: something that is measured, and the limit that it must keep. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly limit: number;
  /** Whether the limit is the most or the least that is allowed. */
  readonly allowed: 'at most' | 'at least';
  /** Half an hour or so: it is measured only when that is asked for. */
  readonly takesLong?: true;
  measure(bench: Bench): Promise<number>;
}

export interface Bench {
  readonly sizes: Sizes;
  /** Tells whoever waits what is going on, and the numbers behind a figure. Never on stdout, which belongs to the result. */
  say(text: string): void;
  /** Measures once what several figures are read from. */
  once<T>(key: string, measure: () => Promise<T>): Promise<T>;
}

export interface Sizes {
  /** "10,000 claims" and "1,000 claims". */
  readonly many: number;
  readonly few: number;
  /** "100,000 claims". */
  readonly crowd: number;
  /** For figures that are taken in rounds. */
  readonly rounds: number;
  readonly perRound: number;
  readonly warmUp: number;
}

export const fullSizes: Sizes = { many: 10_000, few: 1_000, crowd: 100_000, rounds: 7, perRound: 500, warmUp: 500 };
/** Shows in a minute or two that everything works; the ratios are then mostly noise. */
export const quickSizes: Sizes = { many: 500, few: 100, crowd: 2_000, rounds: 1, perRound: 150, warmUp: 50 };

export const isKept = ({ limit, allowed }: Figure, value: number): boolean =>
  allowed === 'at most' ? value <= limit : value >= limit;
