import { describe, expect, it } from 'vitest';
import { blocksOf, commandsOf } from './blocks.ts';
import { missingLine } from './shown-output.ts';

const page = `# Page

\`\`\`sh
one
two
\`\`\`

\`\`\`console
$ three \\
  --more
printed
$ four
\`\`\`

\`\`\`text
nobody types this
\`\`\`
`;

describe('the blocks of a page', () => {
  it('have their language and the line where they begin', () => {
    expect(blocksOf(page).map(({ line, language }) => [line, language])).toEqual([
      [4, 'sh'],
      [9, 'console'],
      [16, 'text'],
    ]);
  });

  it('of sh are one script', () => {
    expect(blocksOf(page).slice(0, 1).map(commandsOf)).toEqual([[{ script: 'one\ntwo' }]]);
  });

  it('of console are commands, each with what the page shows below it', () => {
    expect(blocksOf(page).slice(1, 2).map(commandsOf)).toEqual([
      [
        { script: 'three \\\n  --more', shown: ['printed'] },
        { script: 'four', shown: [] },
      ],
    ]);
  });

  it('of console that begin without a command are a mistake', () => {
    expect(() => commandsOf({ line: 1, language: 'console', text: 'kubectl get nodes' })).toThrow('begins with "$ "');
  });
});

describe('what a page shows', () => {
  it('may have other ids, ages and times than what was printed', () => {
    const shown = ['first   True   i-0123456789abcdef0   2s', '', '  12:00:01  ready'];
    const printed = 'NAME\nfirst  True  i-fedcba98765432100  1m3s\nmore\n 07:08:09 ready\n';

    expect(missingLine(shown, printed)).toBeUndefined();
  });

  it('is missing where a word differs', () => {
    expect(missingLine(['first True'], 'first False\n')).toBe('first True');
  });

  it('may break a line off with …, and leave lines out with one of it', () => {
    expect(
      missingLine(['first False No…', '…', 'last'], 'first False NoInstanceTypeFits\nmore\nlast\n'),
    ).toBeUndefined();
    expect(missingLine(['first True …'], 'first False\n')).toBe('first True …');
  });

  it('is missing where the order differs', () => {
    expect(missingLine(['b', 'a'], 'a\nb\n')).toBe('a');
  });
});
