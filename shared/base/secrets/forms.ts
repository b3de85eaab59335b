/** The spellings in which a server may send a secret back: as it is, in a URL, in JSON, in a page, or within something in base64. */

/** @example formsOf('a+b/secret') // ['a+b/secret', 'a%2Bb%2Fsecret', 'YStiL3NlY3Jld', …] */
export function formsOf(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const json = JSON.stringify(value).slice(1, -1);
  const spelled = [
    value,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    json,
    // As Go writes it: those three could end a script in a page.
    json.replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    inPage(value, '&quot;', '&#39;'),
    inPage(value, '&#34;', '&#39;'),
    ...inBase64(value),
  ];
  return [...new Set(spelled)];
}

const inPage = (value: string, double: string, single: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', double)
    .replaceAll("'", single);

/**
 * What of a text in base64 depends on the value alone, wherever the value begins in it: three bytes make four letters, so there are
 * three ways, and the letters at both ends that also depend on the neighbors are left out.
 */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const own = letters.slice(first, last);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
