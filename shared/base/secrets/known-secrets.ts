/**
 * Every credential that this process has loaded, so that it can be taken out of whatever leaves the process or is stored. A proxy
 * or a server that sends our own token back in an error is found by the value itself, however it calls it.
 *
 * Whoever loads a credential calls `rememberSecret`; foreign text passes through `redactSecrets` where it enters and where it leaves.
 */
import { formsOf } from './forms.ts';
import { type Prefixes, prefixesOf } from './prefixes.ts';

const redacted = '[redacted]';

/** A shorter one is too likely to be a part of other words. */
const shortest = 8;
/** Credentials are renewed for as long as the process lives; the oldest are forgotten. A token of an hour is known for weeks. */
const mostSecrets = 1000;
/** So many letters find a secret in a text. Tokens of one issuer begin alike, so all of them cost one comparison. */
const headLength = 16;

/** In the order in which they came. */
const known = new Map<string, readonly string[]>();
let search: Search | undefined;

interface Search {
  /** Finds where one may begin. */
  heads: RegExp;
  /** By their first letters. */
  forms: ReadonlyMap<string, Prefixes>;
}

/** Cheap when it is known already, so it may be called at each use. */
export function rememberSecret(value: string | undefined): void {
  if (value === undefined || value.length < shortest || known.has(value)) return;
  const secret = value.trim();
  if (secret.length < shortest || known.has(secret)) return;
  known.set(
    secret,
    formsOf(secret).filter((form) => form.length >= shortest),
  );
  if (known.size > mostSecrets) known.delete(known.keys().next().value ?? '');
  search = undefined;
}

/** The same text where there is no secret in it. */
export function redactSecrets(text: string): string {
  if (known.size === 0 || text.length < shortest) return text;
  search ??= searchFor(known.values());
  const { heads, forms } = search;
  const cuts = cutsIn(text);
  let output = '';
  let from = 0;
  heads.lastIndex = 0;
  for (let hit = heads.exec(text); hit !== null; hit = heads.exec(text)) {
    const length = lengthAt(text, hit.index, forms.get(hit[0]), cuts);
    if (length === 0) {
      heads.lastIndex = hit.index + 1;
      continue;
    }
    output += text.slice(from, hit.index) + redacted;
    from = hit.index + length;
    heads.lastIndex = from;
  }
  return from === 0 ? text : output + text.slice(from);
}

/** For tests, which share a process: the secrets of one are words of another. */
export function forgetSecrets(): void {
  known.clear();
  search = undefined;
}

/** How much of the text from here on is a secret; 0 if it only begins like one. */
function lengthAt(text: string, at: number, forms: Prefixes | undefined, cutAfter: (at: number) => number): number {
  if (forms === undefined) return 0;
  const whole = forms.longestIn(text.slice(at, at + forms.longest));
  if (whole > 0) return whole;
  // Somebody has cut the text in the middle of it.
  const end = cutAfter(at);
  const isLong = end - at >= headLength && end - at <= forms.longest;
  return isLong && forms.anyBeginsWith(text.slice(at, end)) ? end - at : 0;
}

/** Where a text that was cut ends: at its end, or before the marks of a cut. Asked for places in their order, so it reads the text once. */
function cutsIn(text: string): (at: number) => number {
  const mark = /…|\.\.\./g;
  let next = -1;
  return (at) => {
    if (next < at) {
      mark.lastIndex = at;
      next = mark.exec(text)?.index ?? text.length;
    }
    return next;
  };
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function searchFor(secrets: Iterable<readonly string[]>): Search {
  const forms = new Map<string, string[]>();
  for (const form of new Set([...secrets].flat())) {
    const head = form.slice(0, headLength);
    const alike = forms.get(head);
    if (alike === undefined) forms.set(head, [form]);
    else alike.push(form);
  }
  // A short form may be the beginning of a longer head: the longer one is tried first.
  const heads = [...forms.keys()].sort((one, other) => other.length - one.length);
  const prefixes = new Map([...forms].map(([head, alike]) => [head, prefixesOf(alike)]));
  return { heads: new RegExp(heads.map(literally).join('|'), 'g'), forms: prefixes };
}
