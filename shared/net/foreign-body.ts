/** What the body of a foreign error says, as one short line: a proxy's login page is mostly markup, scripts and styles. */
import { cutText } from '../base/text.ts';

/** No more is looked at: what a person needs to know stands at the beginning. */
const mostRead = 65_536;
const usualLength = 200;

/** @example bodyText('<html><style>…</style><h1>407 Proxy Authentication Required</h1>') // '407 Proxy Authentication Required' */
export function bodyText(body: string, limit = usualLength): string {
  const start = body.length > mostRead ? body.slice(0, mostRead) : body;
  const text = looksLikePage.test(start) ? withoutMarkup(start) : start;
  return cutText(text.replace(/\s+/g, ' ').trim(), limit);
}

const looksLikePage = /<(!doctype|html|head|body|script|style|title|h[1-6]|p|div|pre|center|br|hr|\?xml)\b/i;

const withoutMarkup = (page: string): string =>
  page
    .replace(/<(script|style|svg|template)\b.*?(<\/\1\s*>|$)/gis, ' ')
    .replace(/<!--.*?(-->|$)/gs, ' ')
    .replace(/<[!/?]?[a-z][^>]*(>|$)/gi, ' ')
    .replace(/&(?:lt|gt|quot|apos|nbsp|amp|#\d{1,7}|#x[\da-f]{1,6});/gi, character);

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', amp: '&' };

function character(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  const known = named[name];
  if (known !== undefined) return known;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}
