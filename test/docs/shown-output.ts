/** What a page shows, held against what was printed: word for word, except for what is another one in every run. */

const changing: readonly [RegExp, string][] = [
  [/[\u2500-\u259f]+/g, '#'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\bi-[0-9a-f]{8,}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\d(T[\d:.]+Z)?\b/g, '<date>'],
  [/\b\d\d:\d\d(:\d\d(\.\d+)?)?\b/g, '<time>'],
  [/\b(\d+(\.\d+)?(ms|s|m|h|d))+\b/g, '<age>'],
  [/\b\d+(\.\d+)? (ms|s|seconds?|minutes?)(?!\w)/g, '<age>'],
  [/\b127\.0\.0\.1:\d+/g, '<address>'],
  [/\s+/g, ' '],
];

const lasting = (line: string): string =>
  changing.reduce((text, [pattern, name]) => text.replace(pattern, name), line).trim();

/**
 * The first line of the page that was not printed, after those before it; undefined if all were. A line that ends in `…` was longer, and
 * one of `…` alone is any number of lines.
 */
export function missingLine(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').map(lasting);
  let from = 0;
  for (const line of shown) {
    const wanted = lasting(line);
    if (wanted === '' || wanted === '…') continue;
    const beginning = wanted.endsWith('…') ? wanted.slice(0, -1) : undefined;
    const found = lines.findIndex(
      (one, index) => index >= from && (beginning === undefined ? one === wanted : one.startsWith(beginning)),
    );
    if (found < 0) return line;
    from = found + 1;
  }
  return undefined;
}
