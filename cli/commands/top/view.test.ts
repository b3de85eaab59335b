import { describe, expect, test } from 'vitest';
import { keysIn } from './keys.ts';
import { firstView, pressed, type View } from './view.ts';

/** What is left of a view after all these keys; ten of a hundred rows are shown. */
function viewAfter(input: string, from: View = firstView): View | 'quit' | 'interrupted' {
  let view = from;
  for (const key of keysIn(input)) {
    const next = pressed(view, key, 10, 100);
    if (typeof next === 'string') return next;
    view = next;
  }
  return view;
}

const up = '\u001b[A';
const down = '\u001b[B';
const pageDown = '\u001b[6~';

describe('keys', () => {
  test.each<[string, string, Partial<View>]>([
    ['arrows scroll', down + down + up, { offset: 1 }],
    ['arrows of the other mode scroll too', '\u001bOB', { offset: 1 }],
    ['j and k are arrows', 'jjk', { offset: 1 }],
    ['nobody scrolls above the first row', up, { offset: 0 }],
    ['the last page stays full', pageDown.repeat(20), { offset: 90 }],
    ['End goes to the last page, Home back', '\u001b[F\u001b[H', { offset: 0 }],
    ['s sorts by the next key', 's', { sort: 'age' }],
    ['s comes round again', 'ssss', { sort: 'stage' }],
    ['sorting begins at the top', `${pageDown}s`, { sort: 'age', offset: 0 }],
    ['? shows help, and again hides it', '??', { isHelp: false }],
    ['Esc leaves help', '?\u001b', { isHelp: false }],
    ['a filter is typed', '/web', { filter: 'web', isTyping: true }],
    ['q belongs to the filter while it is typed', '/q', { filter: 'q', isTyping: true }],
    ['Enter keeps the filter', '/web\r', { filter: 'web', isTyping: false }],
    ['Esc drops the filter', '/web\u001b', { filter: '', isTyping: false }],
    ['Backspace takes a whole character', '/aé🙂\u007f', { filter: 'aé', isTyping: true }],
    ['unknown sequences do nothing', '\u001b[24~\u0001', firstView],
  ])('%s', (_, input, expected) => {
    expect(viewAfter(input)).toEqual({ ...firstView, ...expected });
  });

  test('a long paste does not grow the filter without end', () => {
    expect(viewAfter(`/${'x'.repeat(10_000)}`)).toMatchObject({ filter: 'x'.repeat(253) });
  });

  test.each([
    ['q', 'quit'],
    ['\u0003', 'interrupted'],
    ['/we\u0003', 'interrupted'],
  ])('%j ends it', (input, expected) => {
    expect(viewAfter(input)).toBe(expected);
  });
});
