/** IPv4 ranges, as far as they must be compared. */

interface Range {
  first: number;
  last: number;
}

function rangeOf(text: string): Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1, 5).map(Number);
  const bits = match[5] === undefined ? 32 : Number(match[5]);
  if (numbers.some((one) => one > 255) || bits > 32) return undefined;
  const address = numbers.reduce((sum, one) => sum * 256 + one, 0);
  const size = 2 ** (32 - bits);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

/** Azure wants the length of the prefix written out. */
export const isCidr = (text: string): boolean => text.includes('/') && rangeOf(text) !== undefined;

export const isAddressOrRange = (text: string): boolean => rangeOf(text) !== undefined;

export function overlap(one: string, other: string): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)];
  return a !== undefined && b !== undefined && a.first <= b.last && b.first <= a.last;
}

/** Whether a service can have this address: the first is the network itself, the second is of the API server. */
export function contains(cidr: string, address: string): boolean {
  const [range, one] = [rangeOf(cidr), rangeOf(address)];
  if (range === undefined || one === undefined || address.includes('/')) return false;
  return one.first > range.first + 1 && one.first <= range.last;
}
