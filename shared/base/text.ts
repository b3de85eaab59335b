/** Cuts a text to at most `limit` UTF-16 units, marked by an ellipsis, and never through the middle of a character. */
export function cutText(input: string, limit: number): string {
  // Half a character would come back from the API server as something else, and look like a change for ever.
  const text = input.toWellFormed();
  if (text.length <= limit) return text;
  if (limit <= 0) return '';
  let end = limit - 1;
  // A high surrogate at the end has lost its other half.
  if (end > 0 && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return `${text.slice(0, end)}…`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** With an end: a period unless it has one. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** `everySeconds` → `EVERY_SECONDS`. */
export function upperSnake(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
