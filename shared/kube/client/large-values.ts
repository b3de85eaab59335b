/**
 * A claim may be as large as the API server allows, more than a megabyte, and to read all of it takes up to a tenth of a second, at every
 * look. No claim or pool means anything by so much. So what is large within its spec is not read: a text stands in its place, which
 * no check takes for what belongs there, and the claim is refused like any other that is malformed.
 */
import type { Json } from '../../base/json.ts';
import { nodeClaims, nodePools, type Resource } from '../contract.ts';

/** What is shorter is read as it is: nearly everything. */
const smallText = 256 * 1024;
const largestValue = 64 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

export function parseOf({ plural, group }: Resource, text: string): Json {
  const isOurs = [nodeClaims, nodePools].some((one) => one.plural === plural && one.group === group);
  return JSON.parse(isOurs && text.length > smallText ? withoutLargeValues(text) : text) as Json;
}

/** The same JSON, with a text in place of every list and object directly within a `spec` that is too large. */
export function withoutLargeValues(text: string): string {
  const parts: string[] = [];
  const open: { key: string; start: number; isObject: boolean; parts: number; kept: number; removed: number }[] = [];
  let key = '';
  /** Up to here the text is in the parts, or was left out; so much was left out. */
  let kept = 0;
  let removed = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfText(text, at);
      if (open.at(-1)?.isObject && text.charCodeAt(end + 1) === colon) key = text.slice(at + 1, end);
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      // What stands in a list has no name of its own.
      const name = open.at(-1)?.isObject ? key : '';
      open.push({ key: name, start: at, isObject: code === 0x7b, parts: parts.length, kept, removed });
      key = '';
    } else if (code === 0x7d || code === 0x5d) {
      const closed = open.pop();
      if (closed === undefined || open.at(-1)?.key !== 'spec') continue;
      const length = at + 1 - closed.start;
      // What was left out of it already does not make it large.
      if (length - (removed - closed.removed) <= largestValue) continue;
      parts.length = closed.parts;
      parts.push(text.slice(closed.kept, closed.start), JSON.stringify(`${length} characters are too many`));
      kept = at + 1;
      removed = closed.removed + length;
    }
  }
  return parts.length === 0 ? text : [...parts, text.slice(kept)].join('');
}

/** Where the quote is that ends the text that begins here. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return text.length;
}
