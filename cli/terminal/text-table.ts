/** Text for terminals: columns that line up, and nothing from outside that could move the cursor. */

/** Control characters, and marks that turn the direction of writing around, are shown, not obeyed. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (control) =>
    control === '\n' ? ' ' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** Breaks at spaces; a longer word stands alone. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const narrowest = 40;

/**
 * A line as people at a terminal get it: broken between words, and what follows stands under its text.
 * @param head How many characters come before the text. @param columns Undefined for a pipe, where a line stays a line.
 */
export function hanging(line: string, head: number, columns: number | undefined): string[] {
  if (columns === undefined || line.length <= columns) return [line];
  const [first = '', ...rest] = wrapped(line.slice(head), Math.max(narrowest, columns) - head);
  return [line.slice(0, head) + first, ...rest.map((more) => ' '.repeat(head) + more)];
}
