/** Which dead letters are meant, for brokers that can't be asked for some of them. */
import type { DeadLetter, DeadLetterFilter } from './contract.ts';

/** By their ids, by a filter, or all. */
export type WhichLetters = readonly string[] | DeadLetterFilter | undefined;

export function selectorOf(which: WhichLetters): (letter: DeadLetter) => boolean {
  if (which === undefined) return () => true;
  if (isNames(which)) {
    const names = new Set(which);
    return ({ id }) => names.has(id);
  }
  const { group, reason, deadBefore } = which;
  return (letter) =>
    (group === undefined || letter.group === group) &&
    (reason === undefined || letter.reason.includes(reason)) &&
    (deadBefore === undefined || letter.deadAt < deadBefore);
}

export const isNames = (which: readonly string[] | DeadLetterFilter): which is readonly string[] =>
  Array.isArray(which);
