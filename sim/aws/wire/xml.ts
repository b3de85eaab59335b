/** Answers of the query protocols. */

/** What is undefined is left out. A list's entries are called `item` (EC2) or `member` (STS, IAM). */
export type Xml = string | number | boolean | undefined | readonly Xml[] | { readonly [name: string]: Xml };

const special: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

const escaped = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (one) => special[one] ?? one) : text;

export function toXml(name: string, value: Xml, entry: 'item' | 'member'): string {
  if (value === undefined) return '';
  return `<${name}>${inner(value, entry)}</${name}>`;
}

function inner(value: Xml, entry: 'item' | 'member'): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  let text = '';
  if (Array.isArray(value)) for (const one of value as readonly Xml[]) text += toXml(entry, one, entry);
  else for (const [key, one] of Object.entries(value)) text += toXml(key, one, entry);
  return text;
}

/** `tagSet` and its like. */
export const tagSet = (tags: Readonly<Record<string, string>>): Xml =>
  Object.entries(tags).map(([key, value]) => ({ key, value }));

/** AWS writes times with milliseconds. */
export const time = (at: number): string => new Date(at).toISOString();
