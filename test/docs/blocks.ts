/** The fenced blocks of a page. Those of `sh` and `console` are commands that a reader types, and that a test runs. */
export interface Block {
  /** Where its first line stands on the page. */
  line: number;
  language: string;
  text: string;
}

/** What a reader types, and what the page says comes of it; absent where the page shows nothing. */
export interface Command {
  script: string;
  shown?: string[];
}

/** Languages of blocks that nobody types. Anything else has to be marked as one of these, or be run. */
export const quiet = ['text', 'yaml', 'json', 'kusto'];
export const typed = ['sh', 'console'];

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; block: Block; lines: string[] } | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    const [, fence = '', language = ''] = /^ *(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { fence, block: { line: index + 2, language, text: '' }, lines: [] };
    } else if (fence.startsWith(open.fence) && language === '') {
      blocks.push({ ...open.block, text: open.lines.join('\n') });
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
}

export const typedBlocksOf = (page: string): Block[] =>
  blocksOf(page).filter(({ language }) => typed.includes(language));

/** A block of `sh` is one script. One of `console` has a command behind each `$ `, and below it what is printed. */
export function commandsOf({ language, text }: Block): Command[] {
  if (language !== 'console') return [{ script: text }];
  const commands: { script: string; shown: string[] }[] = [];
  for (const line of text.split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ script: line.slice(2), shown: [] });
    else if (last === undefined) throw new Error(`a block of console begins with "$ ", not with: ${line}`);
    else if (last.shown.length === 0 && last.script.endsWith('\\')) last.script += `\n${line}`;
    else last.shown.push(line);
  }
  return commands;
}
