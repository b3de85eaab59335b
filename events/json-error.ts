/**
 * Where a text stops being JSON. The messages of JSON.parse name a position only for some of the mistakes, and the
 * wording changes between engines; whoever repairs a producer needs the place.
 */

// No part of this can match the same text in two ways, so it can't take more than linear time.
const token =
  /[\t\n\r ]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w))/uy;
const trailingSpace = /[\t\n\r ]*/y;

type Expect = 'value' | 'value or ]' | 'key or }' | 'key' | ':' | 'comma or end';

/** Counted in UTF-16 units from 0; the length of the text when it ends too early. Undefined: it is JSON. */
export function jsonErrorPosition(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expect: Expect = 'value';
  let position = 0;
  for (;;) {
    trailingSpace.lastIndex = position;
    const start = position + (trailingSpace.exec(text)?.[0].length ?? 0);
    if (start === text.length) return expect === 'comma or end' && open.length === 0 ? undefined : start;
    token.lastIndex = position;
    const match: RegExpExecArray | null = token.exec(text);
    const next: Expect | undefined | null =
      match && follow(expect, match[1] ?? (match[2] === undefined ? 'literal' : 'string'), open);
    if (!match || !next) return start;
    expect = next;
    position = token.lastIndex;
  }
}

/** What may come after this token; undefined when it may not stand here. Keeps the stack of open brackets. */
function follow(expect: Expect, kind: string, open: ('{' | '[')[]): Expect | undefined {
  const inside = open.at(-1);
  const closes = (kind === '}' && inside === '{') || (kind === ']' && inside === '[');
  if (closes) {
    const allowed = expect === 'comma or end' || expect === (kind === '}' ? 'key or }' : 'value or ]');
    if (!allowed) return undefined;
    open.pop();
    return 'comma or end';
  }
  switch (expect) {
    case 'value':
    case 'value or ]':
      if (kind === '{' || kind === '[') {
        open.push(kind);
        return kind === '{' ? 'key or }' : 'value or ]';
      }
      return kind === 'string' || kind === 'literal' ? 'comma or end' : undefined;
    case 'key':
    case 'key or }':
      return kind === 'string' ? ':' : undefined;
    case ':':
      return kind === ':' ? 'value' : undefined;
    case 'comma or end':
      if (kind !== ',' || !inside) return undefined;
      return inside === '{' ? 'key' : 'value';
  }
}
