/**
 * Which of many texts another one begins with. A process that runs for weeks knows a thousand tokens that begin alike, and a server that
 * sends nothing but that beginning must not make each of them be compared at each place: a search in sorted texts compares about ten.
 */
export interface Prefixes {
  /** Letters of the longest of them. */
  readonly longest: number;
  /** How long the longest of them is that the text begins with; 0 if there is none. */
  longestIn(text: string): number;
  /** Whether one of them begins with the text. */
  anyBeginsWith(text: string): boolean;
}

export function prefixesOf(texts: Iterable<string>): Prefixes {
  const sorted = [...new Set(texts)].sort(byUnits);
  // For each, the longest of the others that it begins with itself.
  const within: number[] = [];
  const open: number[] = [];
  for (const [index, text] of sorted.entries()) {
    while (open.length > 0 && !text.startsWith(sorted[open.at(-1) ?? 0] ?? '')) open.pop();
    within.push(open.at(-1) ?? -1);
    open.push(index);
  }
  /** The first that is not before the text. */
  const placeOf = (text: string): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byUnits(sorted[middle] ?? '', text) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    longest: sorted.reduce((most, { length }) => Math.max(most, length), 0),
    longestIn: (text) => {
      const place = placeOf(text);
      // It is the text itself, or it comes before it; whatever else the text begins with, the one right before it begins with too.
      let index = sorted[place] === text ? place : place - 1;
      while (index >= 0 && !text.startsWith(sorted[index] ?? '')) index = within[index] ?? -1;
      return index < 0 ? 0 : (sorted[index]?.length ?? 0);
    },
    anyBeginsWith: (text) => sorted[placeOf(text)]?.startsWith(text) ?? false,
  };
}

const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
