import { redactSecrets } from './secrets/known-secrets.ts';

/**
 * One line of plain text, whatever a cloud, a proxy or a person wrote: no control characters, no line ends, no marks that turn the
 * direction of writing around. A terminal must not obey it, a log must not get a second line from it, and it must read as it is.
 * A credential of ours that they sent back is taken out.
 */
export const plainLine = (text: string): string => {
  // Half a character would come back from the API server as something else, and look like a change for ever.
  const whole = redactSecrets(text).toWellFormed();
  return whole.search(unprintable) === -1 ? whole : whole.replace(unprintables, ' ').replace(/ {2,}/g, ' ').trim();
};

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u;
const unprintables = new RegExp(unprintable, 'gu');

/** Cuts a text to one line of at most `limit` UTF-16 units, marked by an ellipsis, and never through the middle of a character. */
export function cutText(input: string, limit: number): string {
  const text = plainLine(input);
  if (text.length <= limit) return text;
  if (limit <= 0) return '';
  let end = limit - 1;
  // A high surrogate at the end has lost its other half.
  if (end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return `${detached(text.slice(0, end))}…`;
}

/** A copy of its own. A part of a text keeps the whole in memory, and a server decides how long that is. */
const detached = (part: string): string => Buffer.from(part).toString();

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** With an end: a period unless it has one. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** `everySeconds` → `EVERY_SECONDS`. */
export function upperSnake(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
