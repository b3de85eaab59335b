/** "Did you mean": the known name that is nearest to what was written. */

/** Longer inputs are not compared: a name that long is no typing mistake, and the distance costs the product of both lengths. */
const longestCompared = 128;

/**
 * Returns the known name with the smallest edit distance, or nothing if none is near enough to be meant (more than a third
 * of the letters differ). Case is ignored; ties go to the name that comes first.
 */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  if (written.length === 0 || written.length > longestCompared) return undefined;
  const wanted = written.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - written.length) >= bestDistance) continue;
    const distance = editDistance(wanted, name.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** The name that was probably meant; nothing for one that is known: it was meant as it stands. */
export function meantBy(written: string, known: Iterable<string>): string | undefined {
  const name = nearest(written, known);
  return name === written ? undefined : name;
}

/** `; did you mean "x"?`, or nothing: to be put behind a message. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const name = meantBy(written, known);
  return name === undefined ? '' : `; did you mean "${name}"?`;
}

/** The same as the beginning of what to do: `write west, or use one of east, west`. */
export function writeOr(written: string, known: Iterable<string>, otherwise: string): string {
  const name = meantBy(written, known);
  return name === undefined ? otherwise : `write ${name}, or ${otherwise}`;
}

/** Edits (insert, delete, replace, swap of neighbors) from `a` to `b`; `limit` or more is reported as `limit`. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
      if (cost < smallest) smallest = cost;
    }
    // A swap can still reach back one row, so only a row that is a whole step beyond the limit ends the search.
    if (smallest > limit) return limit;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length]!, limit);
}
