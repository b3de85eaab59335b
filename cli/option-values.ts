/** Values on the command line, checked where they are written. */
import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../shared/claims/nearest.ts';

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type Level = (typeof levels)[number];

export function portValue(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('A port is a whole number from 1 to 65535, or 0 for any free one.');
}

export function levelValue(text: string): Level {
  const level = levels.find((one) => one === text);
  if (level) return level;
  throw new InvalidArgumentError(`It is one of ${levels.join(', ')}${didYouMean(text, levels)}`);
}
