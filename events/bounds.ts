import { maxDepth, maxUnknownStringLength } from './envelope.ts';

/** Checks what holds for every field, known or not: depth, lengths, names. Returns what is wrong, with the path. */
export const outOfBounds = (root: unknown): string | undefined =>
  isWithinBounds(root, 0) ? undefined : troubleIn(root);

/** Nearly every event is fine, and needs no path. It goes no deeper than what is allowed. */
function isWithinBounds(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length <= maxUnknownStringLength;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || key.length > maxUnknownStringLength) return false;
    if (!isWithinBounds(Reflect.get(value, key), depth + 1)) return false;
  }
  return true;
}

/** It keeps its own stack, so that no nesting can overflow ours. */
function troubleIn(root: unknown): string | undefined {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { value, path, depth } = top;
    if (typeof value === 'string' && value.length > maxUnknownStringLength) {
      return `${path} is ${value.length} characters long; at most ${maxUnknownStringLength} are allowed`;
    }
    // 1e999 reads as Infinity and would be written as null.
    if (typeof value === 'number' && !Number.isFinite(value)) return `${path} is a number out of range`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === maxDepth) return `${path} is nested too deep; at most ${maxDepth} levels are allowed`;
    for (const [key, child] of Object.entries(value)) {
      // Kept as a plain field it would be harmless, but the first Object.assign on it would swap a prototype.
      if (key === '__proto__') return `${path === '' ? '' : `${path}.`}__proto__ is not allowed as the name of a field`;
      if (key.length > maxUnknownStringLength) {
        return `a name in ${path || 'the event'} is ${key.length} characters long; at most ${maxUnknownStringLength} are allowed`;
      }
      stack.push({ value: child, path: joinPath(path, key, Array.isArray(value)), depth: depth + 1 });
    }
  }
  return undefined;
}

/** `data.items[3].name`; a name from outside is cut, because it ends up in logs and dead letters. */
export function joinPath(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  const shown = key.length > 64 ? `${key.slice(0, 61)}...` : key;
  const full = path === '' ? shown : `${path}.${shown}`;
  return full.length > 256 ? `...${full.slice(-253)}` : full;
}
