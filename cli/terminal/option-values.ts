/** Values on the command line, checked where they are written. */

import { InvalidArgumentError } from 'commander';
import { parseSeconds } from '../../shared/base/durations.ts';
import { didYouMean } from '../../shared/base/nearest.ts';
import { deployedProviders } from '../../shared/providers/deployed.ts';

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type Level = (typeof levels)[number];

export function portValue(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('A port is a whole number from 1 to 65535, or 0 for any free port.');
}

export function levelValue(text: string): Level {
  const level = levels.find((one) => one === text);
  if (level) return level;
  throw new InvalidArgumentError(`Must be one of ${levels.join(', ')}${didYouMean(text, levels)}`);
}

/** Seconds. */
export function durationValue(text: string): number {
  const seconds = parseSeconds(text);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError('Must be a duration, such as 90s, 15m, 1h30m or 2d.');
}

export function countValue(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000) return Number(text);
  throw new InvalidArgumentError('Must be a whole number from 1 to 1000.');
}

export function nodeClassValue(text: string): string {
  if (/^[^/\s]+\/[^/\s]+$/.test(text)) return text;
  const kind = deployedProviders.at(-1)?.nodeClasses[0]?.kind;
  throw new InvalidArgumentError(
    `Must be a kind and a name, such as ${kind}/${/^[^/\s]+$/.test(text) ? text : 'default'}.`,
  );
}
